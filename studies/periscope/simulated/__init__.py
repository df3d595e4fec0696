"""Table 1 and Figures 4 and 5 on a simulated network."""
