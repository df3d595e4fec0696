"""NAS FT: the best codelet of the all-to-all exchange, and the timing techniques that find it."""
