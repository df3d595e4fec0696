"""The project's own measurements: one folder per subject, and figures.toml, which declares all figures.

`make bench NAME=x` runs x.py or x.cpp of one of the folders.
"""
