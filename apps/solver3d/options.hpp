/// \file options.hpp
/// The command line.
#pragma once

#include <span>
#include <string>

#include "common/program.hpp"
#include "grid.hpp"

namespace solver3d {

struct Options {
  Extents size{32, 32, 32};  ///< points per process
  int iterations = 500;      ///< limit for all time steps together
  int steps = 0;             ///< 0: the iterations determine the time steps; otherwise vice versa
  double tolerance = 1e-8;   ///< a time step is done if the residual relative to the right side is below this
  std::string exchange;      ///< a name of find_method()
  bool overlap = false;      ///< use its overlapping variant
  std::string json;          ///< file for the record, "" for none
  bool quiet = false;
  bool help = false;
};

using apps::UsageError;

/// \p arguments without the program's name. Throws UsageError.
Options parse_options(std::span<const std::string> arguments);

std::string help_text();

}  // namespace solver3d
