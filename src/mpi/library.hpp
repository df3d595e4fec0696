/// \file library.hpp
/// The MPI library at run time, compared with the library of the build.
#pragma once

#include <string>
#include <string_view>

namespace adcl::mpi {

/// The first line of the MPI library's version string, with single blanks: "Open MPI v4.1.4, package: ...".
std::string library_version();

/// Name and major version, which must match the build: the version line up to the end of its first number. Empty if the
/// line has no number.
std::string_view identity_of(std::string_view version) noexcept;

/// Name and version from the version line: "Open MPI" and "4.1.4", "Intel(R) MPI Library" and "2021.14". Without a
/// number the name is the whole line.
struct NameAndVersion {
  std::string name;
  std::string version;
};
NameAndVersion split_version(std::string_view line);

/// Throws Error(Code::unsupported) if the MPI library at run time has another name or another major version than the
/// library that ADCL was built with. An ADCL built for the standard ABI of MPI 5.0 runs with each library that supports
/// it. Local.
void require_library_of_build();

}  // namespace adcl::mpi
