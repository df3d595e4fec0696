"""Hand-written exchanges of an equation solver, and the codelets that two searches choose."""
