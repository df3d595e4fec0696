/// \file options.hpp
/// The table of all options, and the sources of their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/codelet.hpp"
#include "core/option.hpp"
#include "measure/estimator.hpp"
#include "select/search.hpp"

namespace adcl::runtime {

/// Composes the table of options: name, type, range, help, role, and users of each option. It has the library's own
/// rows and those of \p logics and \p methods, which follow ADCL_SEARCH and ADCL_OUTLIERS. Rows with the same name
/// become one option. Throws Error(internal) if they describe it differently.
///
/// A new option takes one row, and the code that reads it by name from Settings::values. Everything else reads the
/// table.
std::vector<Option> compose_options(std::span<const select::Logic> logics, std::span<const measure::Estimator> methods);

/// All options, in the order of the documentation.
std::span<const Option> option_table();

/// Throws Error(option), which suggests the nearest known name.
const Option& find_option(const std::string& name);

enum class Origin { default_value, method, program, file, environment };
const char* origin_name(Origin origin);

/// Values of all options with their origins. The environment overrides the file, the file overrides the program.
class OptionStore {
 public:
  /// Reads the environment, and the file named by ADCL_CONFIG in it. Throws Error(option) or Error(file).
  static OptionStore from_environment();

  /// Removes blanks around the value. Makes a relative path absolute, from the current working directory.
  void set(Origin origin, const std::string& name, const std::string& value);
  /// Lines `NAME = value`; '#' starts a comment. Error messages name \p source and the line.
  void read_lines(const std::string& lines, const std::string& source);
  /// The value that was set, or the default, which may depend on ADCL_METHOD.
  [[nodiscard]] std::string value(const std::string& name) const { return entry(name).value; }
  [[nodiscard]] Origin origin(const std::string& name) const { return entry(name).origin; }
  /// The values of all options.
  [[nodiscard]] OptionValues values() const;

 private:
  struct Entry {
    std::string value;
    Origin origin = Origin::default_value;
  };
  [[nodiscard]] Entry entry(const std::string& name) const;

  std::map<std::string, Entry> entries_;  ///< of the options that were set
};

/// Selects the candidates of function sets: the option ADCL_CODELETS.
class CodeletFilter {
 public:
  /// `set:name,name` keeps, `set:^name,name` excludes; several sets are separated by ';'. Throws Error(option).
  explicit CodeletFilter(const std::string& specification = "");
  /// Throws Error(option) if a filter for \p set names a codelet that the set lacks, and suggests the nearest one. Also
  /// throws if \p predefined, the names of sets, contains \p set and a filter is for a misspelled \p set.
  void check(const FunctionSet& set, std::span<const std::string> predefined) const;
  [[nodiscard]] bool admits(const std::string& set, const std::string& codelet) const;

 private:
  struct Rule {
    bool excludes = false;
    std::vector<std::string> names;
  };
  std::map<std::string, Rule> rules_;  ///< by function set
};

/// Which time a search measures if no timer does: ADCL_TIMING, whose words are in the same order.
enum class Timing {
  arrival,    ///< an operation from the last rank's arrival to the last rank's departure, on one node
  nobarrier,  ///< an operation, on each rank separately
  barrier,    ///< an operation between two barriers
  interval    ///< the interval from one start of a request to its next
};
/// The timing technique that ADCL_TIMING calls \p word.
Timing timing_of(const std::string& word);

/// The values that a request is created with. Rank 0 broadcasts its values in binary form, so that ranks cannot parse
/// the same text differently.
struct Settings {
  OptionValues values;  ///< of all options; code outside of the path of every start reads them by name

  // Derived from `values` once, for searches and starts.
  std::string search;
  std::string outliers;
  OptionValues search_options;  ///< only the options of the selection logic and the statistical method
  Timing timing = Timing::arrival;
  bool merge_requests = true;
  int timer_interval = 1;       ///< starts of a timer between two synchronizations of the ranks, n_s
  int timer_combinations = 64;  ///< a timer compares all combinations up to this number
  int monitor = 0;  ///< starts in production between two checks; 0: none; by_time: depends on the winner's time
  static constexpr int by_time = -1;
  bool overlap_blocking = false;
  std::string trace;
  bool trace_production = false;    ///< the trace, if there is one, contains all starts
  std::uint64_t decision_hash = 0;  ///< hash of everything that can change a decision

  /// Derives the settings from \p values of all options.
  static Settings from(OptionValues values);
  /// Serializes all values for another process of the same job.
  [[nodiscard]] std::vector<std::byte> pack() const;
  /// Takes the values of another process off the front of \p bytes. Returns \p own if they are the same, so that all
  /// requests share one object. Throws Error(internal) for bytes of another version of the library.
  static std::shared_ptr<const Settings> adopt(std::shared_ptr<const Settings> own, std::span<const std::byte>& bytes);
};

/// Serializes the options of \p table that do not belong to one process, in table order; the reader gets defaults for
/// the others.
std::vector<std::byte> pack_values(const OptionValues& values, std::span<const Option> table);
/// Reads them from the front of \p bytes and removes them there. Throws Error(internal) if they belong to another
/// table.
OptionValues unpack_values(std::span<const std::byte>& bytes, std::span<const Option> table);
/// Hash of the values of \p table that can change a decision of \p search with the statistical method \p outliers.
std::uint64_t decision_hash_of(const OptionValues& values, std::span<const Option> table, const std::string& search,
                               const std::string& outliers);

}  // namespace adcl::runtime
