#include "capi/v1/config.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

bool equal_ignoring_case(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, lower, lower);
}

std::string trimmed(std::string_view word) {
  const auto first = word.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? ""
                                         : std::string(word.substr(first, word.find_last_not_of(" \t\r") - first + 1));
}

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

const FunctionSet& set_of(const std::string& constant) {
  for (const codelets::PredefinedSet& entry : codelets::sets()) {
    if (entry.constant == constant) {
      return entry.set();
    }
  }
  throw Error(Code::internal, text("there is no function set ", constant));
}

int whole_number(const std::string& key, const std::string& word, int minimum, int maximum) {
  const auto number = to_number(word);
  require(number.has_value() && std::floor(*number) == *number && *number >= minimum && *number <= maximum,
          Code::option, key, " is ", word, "; it must be a whole number from ", minimum, " to ", maximum);
  return static_cast<int>(*number);
}

class Reader {
 public:
  explicit Reader(std::string home) : home_(std::move(home)) {}

  void read(const std::string& key, const std::string& word, int line);
  V1Config finish() {
    if (!codelets_.empty()) {
      std::string value;
      for (const auto& [set, codelet] : codelets_) {
        value.append(value.empty() ? "" : ";").append(set).append(":").append(codelet);
      }
      set("ADCL_CODELETS", value, codelets_line_);
    }
    return std::move(config_);
  }

 private:
  using Rule = void (Reader::*)(const std::string& key, const std::string& word, int line);
  struct Key {
    std::string_view name;
    Rule rule;
    std::string_view replacement;  ///< an option, a function set, or the reason why the key has no effect
  };
  static const Key* find(const std::string& key);

  void set(const std::string& option, const std::string& value, int line) {
    std::erase_if(config_.settings, [&](const V1Setting& other) { return other.option == option; });
    config_.settings.push_back({option, value, line});
  }
  void copy_value(const std::string& key, const std::string& word, int line) {
    set(std::string(find(key)->replacement), word, line);
  }
  void select_codelet(const std::string& key, const std::string& word, int line) {
    const std::string constant(find(key)->replacement);
    codelets_[set_of(constant).name] = codelet_of_v1_name(constant, word);
    codelets_line_ = line;
  }
  void set_search(const std::string& key, const std::string& word, int line) {
    constexpr std::array names{"brute_force", "hypothesis", "factorial"};
    const int most = key == "ADCL_EMETHOD_USE_PERFHYPOTHESIS" ? 1 : 2;
    set("ADCL_SEARCH", names.at(static_cast<std::size_t>(whole_number(key, word, 0, most))), line);
  }
  void set_timing(const std::string& key, const std::string& word, int line) {
    set("ADCL_TIMING", whole_number(key, word, 0, 1) == 1 ? "barrier" : "nobarrier", line);
  }
  /// Converts percent, the unit of outliers in 1.x, to a fraction.
  void set_outlier_fraction(const std::string& key, const std::string& word, int line) {
    const auto percent = to_number(word);
    require(percent.has_value() && *percent >= 0 && *percent <= 100, Code::option, key, " is ", word,
            "; it must be a number from 0 to 100, in percent");
    set("ADCL_OUTLIER_FRACTION", text(*percent / 100), line);
  }
  void set_history(const std::string& key, const std::string& word, int line) {
    const bool on = whole_number(key, word, 0, 1) == 1;
    require(!on || !home_.empty(), Code::option, key,
            " is 1, but HOME is not set; the history folder is $HOME/.adcl/history");
    set("ADCL_HISTORY", on ? home_ + "/.adcl/history" : "off", line);
  }
  void set_report(const std::string& key, const std::string& word, int line) {
    set("ADCL_REPORT", whole_number(key, word, 0, 1) == 1 ? "off" : "stderr", line);
  }
  void ignore(const std::string& key, const std::string& /*word*/, int line) {
    config_.ignored.push_back(text("line ", line, ": ", key, " ", find(key)->replacement));
  }

  std::string home_;
  V1Config config_;
  std::map<std::string, std::string> codelets_;
  int codelets_line_ = 0;
};

const Reader::Key* Reader::find(const std::string& key) {
  static constexpr std::string_view no_display =
      "no longer has an effect: there is no display; ADCL_TRACE writes records";
  static constexpr std::array keys{
      Key{"ADCL_EMETHOD_SELECTION", &Reader::select_codelet, "ADCL_FNCTSET_NEIGHBORHOOD"},
      Key{"ADCL_EMETHOD_ALLGATHERV_SELECTION", &Reader::select_codelet, "ADCL_FNCTSET_ALLGATHERV"},
      Key{"ADCL_EMETHOD_ALLREDUCE_SELECTION", &Reader::select_codelet, "ADCL_FNCTSET_ALLREDUCE"},
      Key{"ADCL_EMETHOD_REDUCE_SELECTION", &Reader::select_codelet, "ADCL_FNCTSET_REDUCE"},
      Key{"ADCL_EMETHOD_ALLTOALL_SELECTION", &Reader::select_codelet, "ADCL_FNCTSET_ALLTOALL"},
      Key{"ADCL_EMETHOD_ALLTOALLV_SELECTION", &Reader::select_codelet, "ADCL_FNCTSET_ALLTOALLV"},
      Key{"ADCL_EMETHOD_SEARCH_ALGO", &Reader::set_search, ""},
      Key{"ADCL_EMETHOD_USE_PERFHYPOTHESIS", &Reader::set_search, ""},
      Key{"ADCL_EMETHOD_NUMTESTS", &Reader::copy_value, "ADCL_MEASUREMENTS"},
      Key{"ADCL_MERGE_REQUESTS", &Reader::copy_value, "ADCL_MERGE_REQUESTS"},
      Key{"ADCL_USE_BARRIER", &Reader::set_timing, ""},
      Key{"ADCL_OUTLIER_FRACTION", &Reader::set_outlier_fraction, ""},
      Key{"ADCL_OUTLIER_FACTOR", &Reader::copy_value, "ADCL_OUTLIER_BOUND"},
      Key{"ADCL_HIST_LEARNING", &Reader::set_history, ""},
      Key{"ADCL_PRINTF_SILENCE", &Reader::set_report, ""},
      Key{"ADCL_STATISTIC_METHOD", &Reader::ignore, "no longer has an effect: the time of the slowest rank counts"},
      Key{"ADCL_TWOK_THRESHOLD", &Reader::ignore, "no longer has an effect: ADCL_SEARCH=factorial has no threshold"},
      Key{"ADCL_HIST_PREDICTOR", &Reader::ignore, "no longer has an effect: ADCL_HISTORY finds similar problems"},
      Key{"ADCL_DISPLAY_IP", &Reader::ignore, no_display},
      Key{"ADCL_DISPLAY_PORT", &Reader::ignore, no_display},
      Key{"ADCL_DISPLAY_RANK", &Reader::ignore, no_display},
  };
  const auto* const found = std::ranges::find(keys, key, &Key::name);
  return found != keys.end() ? found : nullptr;
}

void Reader::read(const std::string& key, const std::string& word, int line) {
  const Key* const known = find(key);
  if (known == nullptr) {
    config_.ignored.push_back(text("line ", line, ": ", key, " is not a key of config.adcl"));
    return;
  }
  require(!word.empty(), Code::option, key, " has no value");
  (this->*known->rule)(key, word, line);
}

}  // namespace

std::string codelet_of_v1_name(const std::string& constant, const std::string& name) {
  const FunctionSet& set = set_of(constant);
  std::vector<std::string> known;
  for (const Codelet& codelet : set.codelets) {
    known.push_back(codelet.name);
  }
  std::string_view wanted = strip_set_and_primitive(name, set.name);
  const auto* const renamed = std::ranges::find(v1_names, wanted, &V1Name::old);
  wanted = renamed != v1_names.end() ? renamed->current : wanted;
  // Prefer an exact match, then ignore case.
  for (const bool exactly : {true, false}) {
    for (const std::string& one : known) {
      if (exactly ? one == wanted : equal_ignoring_case(one, wanted)) {
        return one;
      }
    }
  }
  throw Error(Code::option, text("function set ", set.name, " has no codelet '", name, "'; did you mean ",
                                 nearest(std::string(wanted), known), "?"));
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
