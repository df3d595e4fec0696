/// \file options.hpp
/// The command line of adcl-bench. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "function.hpp"

namespace adcl::bench {

/// The command line is invalid; the text states the error and the valid values.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Start { window, barrier };

struct Options {
  std::vector<std::string> functions;  ///< names of the table
  std::vector<std::string> codelets;   ///< function sets or single codelets
  std::vector<std::size_t> bytes{256};
  int repetitions = 400;
  int warmup = 10;
  int block = 16;      ///< points of a rank's block in each dimension, for codelets
  int components = 1;  ///< entries per grid point, for codelets
  Start start = Start::window;
  bool oversubscribed = false;
  std::string output;  ///< empty: standard output
  std::vector<std::pair<std::string, std::string>> labels;
  bool help = false;
  bool list = false;
};

/// Throws UsageError. Looks up names of functions in \p table, and replaces groups with their members.
Options parse_options(std::span<const std::string> arguments, const Functions& table);

std::string help_text(const std::string& program);
std::string list_text(const Functions& table);

}  // namespace adcl::bench
