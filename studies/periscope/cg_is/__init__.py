"""Figure 7: random search on CG and IS."""
