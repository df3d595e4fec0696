"""Table 1 and Figures 4, 5, and 6: the searches on a fish school."""
