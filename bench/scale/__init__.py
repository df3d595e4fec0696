"""Benches of `adcl scale`: fitted growth, and detected bugs."""
