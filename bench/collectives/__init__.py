"""Benches of collectives: requests against the MPI library's own calls."""
