"""Table 2 and Figure 2a to 2h: run times of collectives."""
