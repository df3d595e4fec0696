"""Studies of "Runtime Optimization of Application Level Communication Patterns" (HIPS 2007), paper and slides."""
