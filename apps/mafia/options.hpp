/// \file options.hpp
/// The command line of mafia.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "points.hpp"
#include "search.hpp"

namespace mafia {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  PointSettings plan;
  std::vector<int> cluster_dimensions;  ///< values of k, one run each
  std::vector<Kernels> kernels{Kernels::bitmap};
  int repetitions = 5;
  std::string output;  ///< empty: standard output
  bool help = false;
};

/// Throws UsageError.
Options parse_options(std::span<const std::string> arguments);

std::string help_text();

}  // namespace mafia
