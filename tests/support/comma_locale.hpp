/// \file comma_locale.hpp
/// A locale with a decimal comma and groups of digits, even if the system has none installed.
#pragma once

#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace adcl::test {

inline constexpr const char* comma_locale = "de_DE.UTF-8";

/// Creates the locale next to the folder of this program, unless another process has done so, and sets the path for
/// this process. False when `localedef` fails. Call before MPI_Init: network libraries may not support child processes.
inline bool make_comma_locale() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "comma_locale";
  if (!fs::exists(folder / comma_locale)) {
    // Other processes may do the same; the first process succeeds.
    const fs::path own = folder.string() + "." + std::to_string(getpid());
    fs::create_directories(own, ignored);
    const std::string made = (own / comma_locale).string();
    const std::string command = "localedef -i de_DE -f UTF-8 '" + made + "' >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0) {
      fs::rename(own, folder, ignored);
    }
    fs::remove_all(own, ignored);
  }
  setenv("LOCPATH", folder.c_str(), 1);
  return std::setlocale(LC_ALL, comma_locale) != nullptr && std::localeconv()->decimal_point[0] == ',' &&
         std::setlocale(LC_ALL, "C") != nullptr;
}

}  // namespace adcl::test
