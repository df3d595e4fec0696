/// \file mpi_library.hpp
/// The version string of the MPI library.
#pragma once

#include <mpi.h>

#include <array>
#include <string>

namespace apps {

/// Name and version; removes the details that follow.
inline std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  const std::string text = version.data();
  return text.substr(0, text.find_first_of(",\r\n"));
}

}  // namespace apps
