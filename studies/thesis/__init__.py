"""Studies of the thesis on ADCL: all-to-all exchanges, statistical methods, and timing techniques."""
