"""Generates the Fortran interface from include/ADCL.h and bindings/interface.toml."""
