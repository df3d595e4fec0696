"""Euler3D: codelets of the neighborhood exchange, and statistical methods that choose among them."""
