"""Table 4: kernels of MAFIA."""
