"""Table 3 and Figure 2i: memory of MPI objects and of MPI."""
