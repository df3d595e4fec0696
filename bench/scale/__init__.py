"""Benches of `adcl scale`: fitted growth, and bugs that are found."""
