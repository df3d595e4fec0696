"""Benches of the interposer: what it adds to calls, and what it saves in whole programs."""
