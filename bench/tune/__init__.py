"""Benches of `adcl tune`: number of trials, and quality of the advice."""
