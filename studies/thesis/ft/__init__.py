"""NAS FT: which codelet of the all-to-all exchange wins, and which timing finds it."""
