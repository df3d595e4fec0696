#include "capi/v1/config.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>

#include "codelets/sets.hpp"
#include "core/error.hpp"
#include "core/nearest.hpp"
#include "core/text.hpp"

namespace adcl::capi::v1 {
namespace {

constexpr std::string_view v1_suffix = "_SR";  ///< the primitive in names of 1.x

struct V1Name {
  std::string_view old;
  std::string_view current;
};

/// Codelets that ADCL 1.x names differently, apart from letter case. Sources: its source code, page 15 of the slides,
/// thesis section 4.1.3.
constexpr std::array v1_names{
    V1Name{"SR_pair", "S_R_pair"},
    V1Name{"SR_pair_pack", "S_R_pair_pack"},
    V1Name{"IsendIrecv_aao", "IsIr_aao"},
    V1Name{"IsendIrecv_pair", "IsIr_pair"},
    V1Name{"IsendIrecv_aao_pack", "IsIr_aao_pack"},
    V1Name{"IsendIrecv_pair_pack", "IsIr_pair_pack"},
    V1Name{"SendIrecv_aao", "SIr_aao"},
    V1Name{"SendIrecv_pair", "SIr_pair"},
    V1Name{"SendIrecv_aao_pack", "SIr_aao_pack"},
    V1Name{"SendIrecv_pair_pack", "SIr_pair_pack"},
    V1Name{"SendRecv_pair", "S_R_pair"},
    V1Name{"SendRecv_pair_pack", "S_R_pair_pack"},
    V1Name{"Sendrecv_pair", "Sr_pair"},
    V1Name{"Sendrecv_pair_pack", "Sr_pair_pack"},
    V1Name{"recursive_doubling", "Doubling"},
    V1Name{"pair", "Pairwise"},
    V1Name{"pair_excl", "Pairwise_excl"},
    V1Name{"ladd_block2", "Linear_2"},
    V1Name{"ladd_block4", "Linear_4"},
    V1Name{"ladd_block8", "Linear_8"},
};

bool equal_ignoring_case(std::string_view one, std::string_view other) { return lower_case(one) == lower_case(other); }

/// Returns a name such as "Alltoall_linear_sync_SR" without the set's name and without the primitive that 1.x included.
std::string_view strip_set_and_primitive(std::string_view name, std::string_view set) {
  if (name.size() > set.size() + 1 && equal_ignoring_case(name.substr(0, set.size()), set) && name[set.size()] == '_') {
    name.remove_prefix(set.size() + 1);
  }
  if (name.ends_with(v1_suffix)) {
    name.remove_suffix(v1_suffix.size());
  }
  return name;
}

const FunctionSet& set_of(std::string_view constant) {
  const auto sets = codelets::sets();
  const auto found = std::ranges::find(sets, constant, &codelets::PredefinedSet::constant);
  require(found != sets.end(), Code::internal, "there is no function set ", constant);
  return found->set();
}

struct Key {
  std::string_view name;
  /// Returns the value in the current version. Throws Error(option). Null: the key no longer has an effect.
  std::string (*convert)(const Key& key, const std::string& word, const std::string& home);
  std::string_view target;  ///< an option, a function set whose codelet the key selects, or why there is no effect

  /// As a whole number from 0 to \p most.
  [[nodiscard]] int number(const std::string& word, int most) const {
    const auto value = to_number(word);
    require(value.has_value() && std::floor(*value) == *value && *value >= 0 && *value <= most, Code::option, name,
            " is ", word, "; it must be a whole number from 0 to ", most);
    return static_cast<int>(*value);
  }
};

std::string unchanged(const Key& /*key*/, const std::string& word, const std::string& /*home*/) { return word; }

std::string codelet_of(const Key& key, const std::string& word, const std::string& /*home*/) {
  return codelet_of_v1_name(std::string(key.target), word);
}

std::string search_of(const Key& key, const std::string& word, const std::string& /*home*/) {
  constexpr std::array names{"brute_force", "hypothesis", "factorial"};
  return names.at(static_cast<std::size_t>(key.number(word, key.name == "ADCL_EMETHOD_USE_PERFHYPOTHESIS" ? 1 : 2)));
}

std::string timing_of(const Key& key, const std::string& word, const std::string& /*home*/) {
  return key.number(word, 1) == 1 ? "barrier" : "nobarrier";
}

/// Converts percent, the unit of outliers in 1.x, to a fraction.
std::string fraction_of(const Key& key, const std::string& word, const std::string& /*home*/) {
  const auto percent = to_number(word);
  require(percent.has_value() && *percent >= 0 && *percent <= 100, Code::option, key.name, " is ", word,
          "; it must be a number from 0 to 100, in percent");
  return text(*percent / 100);
}

std::string history_of(const Key& key, const std::string& word, const std::string& home) {
  const bool on = key.number(word, 1) == 1;
  require(!on || !home.empty(), Code::option, key.name,
          " is 1, but HOME is not set; the history folder is $HOME/.adcl/history");
  return on ? home + "/.adcl/history" : "off";
}

std::string report_of(const Key& key, const std::string& word, const std::string& /*home*/) {
  return key.number(word, 1) == 1 ? "off" : "stderr";
}

constexpr std::string_view no_display = "no longer has an effect: there is no display; ADCL_TRACE writes records";

constexpr std::array keys{
    Key{"ADCL_EMETHOD_SELECTION", codelet_of, "ADCL_FNCTSET_NEIGHBORHOOD"},
    Key{"ADCL_EMETHOD_ALLGATHERV_SELECTION", codelet_of, "ADCL_FNCTSET_ALLGATHERV"},
    Key{"ADCL_EMETHOD_ALLREDUCE_SELECTION", codelet_of, "ADCL_FNCTSET_ALLREDUCE"},
    Key{"ADCL_EMETHOD_REDUCE_SELECTION", codelet_of, "ADCL_FNCTSET_REDUCE"},
    Key{"ADCL_EMETHOD_ALLTOALL_SELECTION", codelet_of, "ADCL_FNCTSET_ALLTOALL"},
    Key{"ADCL_EMETHOD_ALLTOALLV_SELECTION", codelet_of, "ADCL_FNCTSET_ALLTOALLV"},
    Key{"ADCL_EMETHOD_SEARCH_ALGO", search_of, "ADCL_SEARCH"},
    Key{"ADCL_EMETHOD_USE_PERFHYPOTHESIS", search_of, "ADCL_SEARCH"},
    Key{"ADCL_EMETHOD_NUMTESTS", unchanged, "ADCL_MEASUREMENTS"},
    Key{"ADCL_MERGE_REQUESTS", unchanged, "ADCL_MERGE_REQUESTS"},
    Key{"ADCL_USE_BARRIER", timing_of, "ADCL_TIMING"},
    Key{"ADCL_OUTLIER_FRACTION", fraction_of, "ADCL_OUTLIER_FRACTION"},
    Key{"ADCL_OUTLIER_FACTOR", unchanged, "ADCL_OUTLIER_BOUND"},
    Key{"ADCL_HIST_LEARNING", history_of, "ADCL_HISTORY"},
    Key{"ADCL_PRINTF_SILENCE", report_of, "ADCL_REPORT"},
    Key{"ADCL_STATISTIC_METHOD", nullptr, "no longer has an effect: the time of the slowest rank counts"},
    Key{"ADCL_TWOK_THRESHOLD", nullptr, "no longer has an effect: ADCL_SEARCH=factorial has no threshold"},
    Key{"ADCL_HIST_PREDICTOR", nullptr, "no longer has an effect: ADCL_HISTORY finds similar problems"},
    Key{"ADCL_DISPLAY_IP", nullptr, no_display},
    Key{"ADCL_DISPLAY_PORT", nullptr, no_display},
    Key{"ADCL_DISPLAY_RANK", nullptr, no_display},
};

class Reader {
 public:
  explicit Reader(std::string home) : home_(std::move(home)) {}

  void read(const std::string& name, const std::string& word, int line) {
    const auto* const key = std::ranges::find(keys, name, &Key::name);
    if (key == keys.end()) {
      config_.ignored.push_back(text("line ", line, ": ", name, " is not a key of config.adcl"));
      return;
    }
    require(!word.empty(), Code::option, name, " has no value");
    if (key->convert == nullptr) {
      config_.ignored.push_back(text("line ", line, ": ", name, " ", key->target));
    } else if (key->convert == codelet_of) {
      codelets_[set_of(key->target).name] = key->convert(*key, word, home_);
      codelets_line_ = line;
    } else {
      set(std::string(key->target), key->convert(*key, word, home_), line);
    }
  }

  V1Config finish() {
    std::string value;
    for (const auto& [set, codelet] : codelets_) {
      value += text(value.empty() ? "" : ";", set, ":", codelet);
    }
    if (!value.empty()) {
      set("ADCL_CODELETS", value, codelets_line_);
    }
    return std::move(config_);
  }

 private:
  void set(const std::string& option, const std::string& value, int line) {
    std::erase_if(config_.settings, [&](const V1Setting& other) { return other.option == option; });
    config_.settings.push_back({option, value, line});
  }

  std::string home_;
  V1Config config_;
  std::map<std::string, std::string> codelets_;  ///< by function set
  int codelets_line_ = 0;
};

}  // namespace

std::string codelet_of_v1_name(const std::string& constant, const std::string& name) {
  const FunctionSet& set = set_of(constant);
  std::vector<std::string> known;
  std::ranges::transform(set.codelets, std::back_inserter(known), &Codelet::name);
  std::string_view wanted = strip_set_and_primitive(name, set.name);
  const auto* const renamed = std::ranges::find(v1_names, wanted, &V1Name::old);
  wanted = renamed != v1_names.end() ? renamed->current : wanted;
  // Prefer an exact match, then ignore case.
  auto found = std::ranges::find(known, wanted);
  if (found == known.end()) {
    found = std::ranges::find_if(known, [&](const auto& one) { return equal_ignoring_case(one, wanted); });
  }
  require(found != known.end(), Code::option, "function set ", set.name, " has no codelet '", name, "'; did you mean ",
          nearest(std::string(wanted), known), "?");
  return *found;
}

V1Config read_v1_config(const std::string& content, const std::string& source, const std::string& home) {
  Reader reader(home);
  int number = 0;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    const std::string line = content.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    const auto colon = line.find(':');
    if (line.starts_with("#") || colon == std::string::npos) {
      continue;
    }
    std::string word = trimmed(std::string_view(line).substr(colon + 1));
    word = word.substr(0, word.find_first_of(" \t"));
    try {
      reader.read(trimmed(std::string_view(line).substr(0, colon)), word, number);
    } catch (const Error& error) {
      throw Error(error.code(), text(source, ":", number, ": ", error.what()));
    }
  }
  return reader.finish();
}

}  // namespace adcl::capi::v1
