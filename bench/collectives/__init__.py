"""Benches of collectives: requests compared with the MPI library's own calls."""
