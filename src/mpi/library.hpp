/// \file library.hpp
/// Which MPI library runs, and whether it is the one that ADCL was built with.
#pragma once

#include <string>
#include <string_view>

namespace adcl::mpi {

/// The first line of what the MPI library says about itself, with single blanks: "Open MPI v4.1.4, package: ...".
std::string library_version();

/// Name and major version, which is what must not differ: such a line up to the end of its first number. Empty where
/// there is no number.
std::string_view identity_of(std::string_view version) noexcept;

/// Name and version in such a line: "Open MPI" and "4.1.4", "Intel(R) MPI Library" and "2021.14". Where there is no
/// number the name is the whole line.
struct NameAndVersion {
  std::string name;
  std::string version;
};
NameAndVersion split_version(std::string_view line);

/// Throws Error(Code::unsupported) when another MPI library runs than the one that ADCL was built with: another name or
/// another major version. An ADCL for the standard ABI of MPI 5.0 runs with each library that has it. Local.
void require_library_of_build();

}  // namespace adcl::mpi
