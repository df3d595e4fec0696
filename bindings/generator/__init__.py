"""Makes the Fortran interface of include/ADCL.h and bindings/interface.toml."""
