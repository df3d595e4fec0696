/// \file planted.h
/// State that a test program sets in the libraries that are preloaded with it: the codelet that planted_codelet.cpp
/// adds to the candidates of MPI_Alltoall, and the MPI library's MPI_Alltoall and MPI_Wtime (slow_mpi.c).
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct adcl_planted {
  double codelet_s;  /* seconds of each run */
  int codelet_fails; /* after the exchange, on this rank */
  int plan_fails;    /* the plan cannot be created on this rank */
  long codelet_runs;
  long plans; /* number of existing plans */
};

struct adcl_slow_mpi {
  double clock_s;    /* returned by MPI_Wtime; only the codelet and MPI_Alltoall increase it */
  double alltoall_s; /* seconds of each call */
  long alltoall_calls;
};

extern __attribute__((visibility("default"))) struct adcl_slow_mpi adcl_slow_mpi_state; /* in slow_mpi.c */

#ifdef __cplusplus
}
#endif
