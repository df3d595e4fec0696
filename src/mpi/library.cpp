#include "mpi/library.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "core/error.hpp"
#include "mpi/check.hpp"

namespace adcl::mpi {
namespace {

// From cmake/AdclTargets.cmake.
constexpr std::string_view built_with = ADCL_MPI_VERSION;
// From cmake/AdclWheel.cmake: version lines of other libraries with the same ABI, separated by '|'.
#ifndef ADCL_MPI_ALSO
#define ADCL_MPI_ALSO ""
#endif
constexpr std::string_view same_abi = ADCL_MPI_ALSO;  // NOLINT(readability-redundant-string-init): not always empty
constexpr bool standard_abi = ADCL_MPI_STANDARD_ABI;
constexpr std::string_view digits = "0123456789";

/// Position of the first number at the start of a word or after a "v". Skips numbers within words, such as the 2 of
/// "MVAPICH2".
std::size_t version_begin(std::string_view line) {
  for (std::size_t i = line.find_first_of(digits); i != std::string_view::npos; i = line.find_first_of(digits, i + 1)) {
    const bool begins = i == 0 || line[i - 1] == ' ' || (line[i - 1] == 'v' && (i == 1 || line[i - 2] == ' '));
    if (begins) {
      return i;
    }
  }
  return std::string_view::npos;
}

/// Whether \p identity is the identity of the build's library or of another library with the same ABI.
bool is_supported(std::string_view identity) {
  std::istringstream lines(text(built_with, '|', same_abi));
  for (std::string line; std::getline(lines, line, '|');) {
    if (identity == identity_of(line)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> version{};
  int length = 0;
  check(MPI_Get_library_version(version.data(), &length), "MPI_Get_library_version");
  std::string line = version.data();
  line = line.substr(0, line.find_first_of("\r\n"));
  std::replace(line.begin(), line.end(), '\t', ' ');
  line.erase(std::unique(line.begin(), line.end(), [](char a, char b) { return a == ' ' && b == ' '; }), line.end());
  return line;
}

std::string_view identity_of(std::string_view version) noexcept {
  const std::size_t begin = version.find_first_of(digits);
  return begin == std::string_view::npos ? std::string_view()
                                         : version.substr(0, version.find_first_not_of(digits, begin));
}

NameAndVersion split_version(std::string_view line) {
  const std::size_t begin = version_begin(line);
  if (begin == std::string_view::npos) {
    return {std::string(line), ""};
  }
  std::string_view name = line.substr(0, begin);
  constexpr std::array<std::string_view, 3> words = {" Version", " version", " v"};
  const auto trim = [&name] { name = name.substr(0, name.find_last_not_of(" :") + 1); };
  trim();
  for (const std::string_view word : words) {
    if (name.ends_with(word)) {
      name.remove_suffix(word.size());
      trim();
      break;
    }
  }
  std::string_view version = line.substr(begin, line.find_first_of(" ,;", begin) - begin);
  version = version.substr(0, version.find_last_not_of('.') + 1);
  return {std::string(name), std::string(version)};
}

void require_library_of_build() {
#if ADCL_MPI_STANDARD_ABI
  // A library such as MPICH 5 has all functions of MPI 5.0 in two files, one of which has other constants.
  int major = -1;
  int minor = -1;
  check(MPI_Abi_get_version(&major, &minor), "MPI_Abi_get_version");
  require(major >= 1, Code::unsupported,
          "this ADCL was built for the standard ABI of MPI 5.0, but the program runs with ", library_version(),
          ", which has another ABI; link the program with libmpi_abi");
#endif
  // If the library could not run when ADCL was built, there is no version to compare.
  if (standard_abi || identity_of(built_with).empty()) {
    return;
  }
  const std::string running = library_version();
  require(is_supported(identity_of(running)), Code::unsupported, "this ADCL was built with ", built_with,
          ", but the program runs with ", running,
          "; run the program with the library of this ADCL (its launcher and library path), or use an ADCL that "
          "was built for the program's library");
}

}  // namespace adcl::mpi
