"""Tunes an MPI library's own settings for an application."""
