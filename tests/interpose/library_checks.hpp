/// \file library_checks.hpp
/// Defects of an MPI library that tests avoid.
#pragma once

#include <mpi.h>

#include <cstring>

/// Whether reductions of MPI_DATATYPE_NULL end the program with a failed assertion, as in MPICH 5.0, instead of
/// returning an error.
inline bool null_datatype_aborts() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  const char* const words = std::strstr(version, "MPICH Version:");
  const char* const number = words != nullptr ? std::strpbrk(words, "0123456789") : nullptr;
  return number != nullptr && std::strncmp(number, "5.0", 3) == 0;
}
