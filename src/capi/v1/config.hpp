/// \file config.hpp
/// `config.adcl`, the options of ADCL 1.x, read as those of today.
#pragma once

#include <string>
#include <vector>

namespace adcl::capi::v1 {

struct OldSetting {
  std::string option;  ///< of today
  std::string value;
  int line = 0;
};

/// What a `config.adcl` says.
struct OldConfig {
  std::vector<OldSetting> settings;  ///< at most one of each option; the last line of a key holds
  std::vector<std::string> ignored;  ///< keys that mean nothing today or are not known, with why
};

/// Reads lines `KEY: value`; lines that begin with '#' or have no colon are comments, and of a value the first word
/// counts, as in 1.x. \p source names the text in messages, \p home is the user's folder. Throws Error(option) for a
/// value that is wrong.
OldConfig read_old_config(const std::string& content, const std::string& source, const std::string& home);

/// Today's name of a codelet of the set \p constant ("ADCL_FNCTSET_ALLTOALL"), whose name in 1.x is \p name; names of
/// today are accepted too. Throws Error(option) with the nearest one.
std::string codelet_of_old_name(const std::string& constant, const std::string& name);

}  // namespace adcl::capi::v1
