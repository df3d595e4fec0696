"""Benches of `adcl tune`: trials, and how good the advice is."""
