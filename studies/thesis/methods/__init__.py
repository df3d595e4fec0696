"""How the run time of each statistical method grows with the number of measurements."""
