"""Benches of the Python interface."""
