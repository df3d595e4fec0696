/// \file library_checks.hpp
/// Defects of an MPI library that tests avoid.
#pragma once

#include <mpi.h>

#include <string>

/// The text of MPI_Get_library_version.
inline std::string library_version() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  return version;
}

/// Whether reductions of MPI_DATATYPE_NULL end the program with a failed assertion, as in MPICH 5.0, instead of
/// returning an error.
inline bool null_datatype_aborts() {
  const std::string version = library_version();
  const std::size_t number = version.find_first_of("0123456789");
  return version.rfind("MPICH Version:", 0) == 0 && version.compare(number, 3, "5.0") == 0;
}

/// Whether MPI_Gather with MPI_BOTTOM as receive buffer crashes, as in Intel MPI 2021.
inline bool gather_to_bottom_crashes() { return library_version().find("Intel") != std::string::npos; }
