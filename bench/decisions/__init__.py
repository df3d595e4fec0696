"""Benches of decisions: which codelet searches choose, and what searching costs."""
