"""A. Sikora et al., Autotuning of MPI Applications Using PTF (SEM4HPC 2016): the MPI parameters plugin of Periscope."""
