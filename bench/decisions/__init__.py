"""Benches of decisions: the codelets that searches choose, and the cost of searching."""
