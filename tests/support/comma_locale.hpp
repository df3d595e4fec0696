/// \file comma_locale.hpp
/// A locale with a decimal comma and groups of digits, also where the system has none installed.
#pragma once

#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace adcl::test {

inline constexpr const char* comma_locale = "de_DE.UTF-8";

/// Makes the locale beside the folder of this program, if no other process has, and lets this process find it there.
/// False when `localedef` cannot. Before MPI_Init: a library for networks may dislike child processes.
inline bool make_comma_locale() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "comma_locale";
  if (!fs::exists(folder / comma_locale)) {
    // Others may do the same; the first one's is taken.
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
