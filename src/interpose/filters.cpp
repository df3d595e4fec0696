#include "interpose/filters.hpp"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>
#include <vector>

#include "core/text.hpp"
#include "interpose/variables.hpp"

namespace adcl::interpose {
namespace {

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The name that the program was started with, and the name and path of its file.
std::vector<std::string> names_of_program() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  const std::string file(path.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return {program_invocation_short_name, last_part(file), file};
}

/// The name of the host, and its part before the first dot.
std::vector<std::string> names_of_host() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  const std::string host = name.data();
  return {host, host.substr(0, host.find('.'))};
}

}  // namespace

bool admits(const std::string& patterns, std::span<const std::string> names) {
  std::istringstream list(patterns);
  std::string item;
  bool needs_match = false;
  bool matches = false;
  while (std::getline(list, item, ',')) {
    item = trimmed(item);
    const bool denies = item.starts_with('!');
    const std::string pattern = trimmed(denies ? item.substr(1) : item);
    if (pattern.empty()) {
      continue;
    }
    const bool found = std::ranges::any_of(
        names, [&](const std::string& name) { return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0; });
    if (denies && found) {
      return false;
    }
    needs_match = needs_match || !denies;
    matches = matches || (!denies && found);
  }
  return matches || !needs_match;
}

bool is_denied() {
  return !admits(variable("ADCL_INTERPOSE_PROGRAMS"), names_of_program()) ||
         !admits(variable("ADCL_INTERPOSE_HOSTS"), names_of_host());
}

}  // namespace adcl::interpose
