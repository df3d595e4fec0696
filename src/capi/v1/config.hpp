/// \file config.hpp
/// Reads `config.adcl`, the options of ADCL 1.x, as options of the current version.
#pragma once

#include <string>
#include <vector>

namespace adcl::capi::v1 {

struct V1Setting {
  std::string option;  ///< name in the current version
  std::string value;
  int line = 0;
};

struct V1Config {
  std::vector<V1Setting> settings;   ///< at most one per option; the last line of a key applies
  std::vector<std::string> ignored;  ///< unknown keys and keys without an effect, with the reason
};

/// Reads lines `KEY: value`. Lines that begin with '#' or have no colon are comments; only the first word of a value is
/// used, as in 1.x. \p source is the name of the text in messages, \p home is the user's folder. Throws Error(option)
/// for an invalid value.
V1Config read_v1_config(const std::string& content, const std::string& source, const std::string& home);

/// Returns the current name of the codelet \p name of ADCL 1.x in the set \p constant ("ADCL_FNCTSET_ALLTOALL"); also
/// accepts current names. Throws Error(option), and suggests the most similar name.
std::string codelet_of_v1_name(const std::string& constant, const std::string& name);

}  // namespace adcl::capi::v1
