/// \file variables.hpp
/// Reads environment variables.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

namespace adcl::interpose {

/// Empty if the variable is not set.
inline std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Makes the path absolute, because the program may change its working directory before a file is written.
inline std::string absolute(const std::string& path) {
  std::array<char, 4096> folder{};
  if (path.empty() || path.front() == '/' || getcwd(folder.data(), folder.size()) == nullptr) {
    return path;
  }
  return std::string(folder.data()) + '/' + path;
}

}  // namespace adcl::interpose
