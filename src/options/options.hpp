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

namespace adcl::history {
class Deferred;
}

namespace adcl::runtime {

/// Composes the table of options: the library's own rows, and the rows of \p logics and \p methods, which follow
/// ADCL_SEARCH and ADCL_OUTLIERS. Rows with the same name become one option. Throws Error(internal) if these rows
/// differ.
///
/// To add an option, add one row, and read its value by name from Settings::values.
std::vector<Option> compose_options(std::span<const select::Logic> logics, std::span<const measure::Estimator> methods);

/// The table of all options, in the order of the documentation.
std::span<const Option> option_table();

/// Throws Error(option) for an unknown name, and suggests the most similar one.
const Option& find_option(const std::string& name);

enum class Origin { default_value, method, program, file, environment };
const char* origin_name(Origin origin);

/// Values of all options with their origins. The environment overrides the file, which overrides the program.
class OptionStore {
 public:
  /// Reads the environment, and the file that its variable ADCL_CONFIG names. Throws Error(option) or Error(file).
  static OptionStore from_environment();

  /// Trims blanks. Makes a relative path absolute. Throws Error(option) for an unknown name or an invalid value.
  void set(Origin origin, const std::string& name, const std::string& value);
  /// Reads lines `NAME = value`; '#' starts a comment. Error messages name \p source and the line.
  void read_lines(const std::string& lines, const std::string& source);
  /// Returns the value that was set, or else the default, which may depend on ADCL_METHOD.
  [[nodiscard]] std::string value(const std::string& name) const { return entry(name).value; }
  [[nodiscard]] Origin origin(const std::string& name) const { return entry(name).origin; }
  [[nodiscard]] OptionValues values() const;

 private:
  struct Entry {
    std::string value;
    Origin origin = Origin::default_value;
  };
  [[nodiscard]] Entry entry(const std::string& name) const;

  std::map<std::string, Entry> entries_;  ///< the options that were set
};

/// The option ADCL_CODELETS: selects the candidates of function sets.
class CodeletFilter {
 public:
  /// `set:name,name` keeps, `set:^name,name` excludes; several sets are separated by ';'. Throws Error(option).
  explicit CodeletFilter(const std::string& specification = "");
  /// Throws Error(option) with a suggestion if the filter for \p set names a codelet that the set lacks, or if a filter
  /// is for a misspelled \p set. \p predefined has the names of all predefined sets, which are not misspellings; if it
  /// is empty, misspellings of \p set are not detected.
  void check(const FunctionSet& set, std::span<const std::string> predefined) const;
  [[nodiscard]] bool admits(const std::string& set, const std::string& codelet) const;

 private:
  struct Rule {
    bool excludes = false;
    std::vector<std::string> names;
  };
  std::map<std::string, Rule> rules_;  ///< by function set
};

/// The time that a search without a timer measures: ADCL_TIMING.
enum class Timing {
  arrival,    ///< from the last rank's arrival to the last rank's departure; on one node only
  nobarrier,  ///< the operation on each rank separately
  barrier,    ///< the operation between two barriers
  interval    ///< from one start of a request to its next start
};
/// Converts a value of ADCL_TIMING.
Timing timing_of(const std::string& word);

/// The options of a request. Rank 0 broadcasts its values in binary form, so that all ranks have the same numbers.
struct Settings {
  OptionValues values;  ///< values of all options, for code that does not run in every start

  // Derived from `values` once.
  std::string search;
  std::string outliers;
  OptionValues search_options;  ///< the options of the selection logic and the statistical method
  Timing timing = Timing::arrival;
  bool merge_requests = true;
  int timer_interval = 1;       ///< n_s: starts of a timer between two synchronizations of the ranks
  int timer_combinations = 64;  ///< largest number of combinations that a timer compares exhaustively
  int monitor = 0;  ///< starts in production between two checks; 0: no checks; by_time: depends on the winner's time
  static constexpr int by_time = -1;
  bool overlap_blocking = false;
  std::string trace;
  bool trace_production = false;    ///< trace all starts; false if there is no trace
  std::uint64_t decision_hash = 0;  ///< hash of everything that can change a decision
  /// Accesses the folder of ADCL_HISTORY instead of the file system; null: none. Local.
  std::shared_ptr<history::Deferred> deferred_history;

  /// Derives the settings from \p values, which contain all options.
  static Settings from(OptionValues values);
  /// Serializes all values for another process of the same job.
  [[nodiscard]] std::vector<std::byte> pack() const;
  /// Reads packed settings from the beginning of \p bytes, and removes them. Returns \p own if they are equal, so that
  /// requests share one object. Throws Error(internal) for bytes of another version of the library.
  static std::shared_ptr<const Settings> adopt(std::shared_ptr<const Settings> own, std::span<const std::byte>& bytes);
};

/// Serializes the values of \p table except options of the process, for which the reader gets defaults.
std::vector<std::byte> pack_values(const OptionValues& values, std::span<const Option> table);
/// Reads packed values from the beginning of \p bytes, and removes them. Throws Error(internal) if they belong to
/// another table.
OptionValues unpack_values(std::span<const std::byte>& bytes, std::span<const Option> table);
/// Hash of the values of \p table that can change a decision of \p search with the statistical method \p outliers.
std::uint64_t decision_hash_of(const OptionValues& values, std::span<const Option> table, const std::string& search,
                               const std::string& outliers);

}  // namespace adcl::runtime
