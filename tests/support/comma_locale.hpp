/// \file comma_locale.hpp
/// A locale with a decimal comma and groups of digits, also where the system has none installed.
#pragma once

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace adcl::test {

inline constexpr const char* comma_locale = "de_DE.UTF-8";

/// Makes the locale in \p folder, where this process finds it from then on. False when `localedef` cannot. Before
/// MPI_Init: a library for networks may dislike child processes.
inline bool make_comma_locale(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  setenv("LOCPATH", folder.c_str(), 1);
  const std::string command = "localedef -i de_DE -f UTF-8 '" + (folder / comma_locale).string() + "' >/dev/null 2>&1";
  return std::system(command.c_str()) == 0 && std::setlocale(LC_ALL, comma_locale) != nullptr &&
         std::localeconv()->decimal_point[0] == ',' && std::setlocale(LC_ALL, "C") != nullptr;
}

}  // namespace adcl::test
