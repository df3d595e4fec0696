/// \file options.hpp
/// The table of all options, and where their values come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/option.hpp"
#include "measure/estimator.hpp"
#include "select/search.hpp"

namespace adcl::runtime {

/// The table of options: each row says value, type, range, help, role and users of one. The rows of the library itself,
/// and those of \p logics and \p methods behind the options that choose among them. What several rows read is one
/// option. Throws Error(internal) when two rows describe options of the same name differently.
///
/// A new option is one row, and the code that reads it by name: Settings::values. Everything else reads the table.
std::vector<Option> compose_options(std::span<const select::Logic> logics, std::span<const measure::Estimator> methods);

/// All options, in the order of the documentation.
std::span<const Option> option_table();

/// Throws Error(option) with the nearest known name.
const Option& find_option(const std::string& name);

enum class Origin { default_value, method, program, file, environment };
const char* origin_name(Origin origin);

/// Values of all options with their origins. The environment wins over the file, the file over the program.
class OptionStore {
 public:
  /// Reads the environment, and the file named by ADCL_CONFIG in it. Throws Error(option) or Error(file).
  static OptionStore from_environment();

  /// Blanks around the value are left out. A relative name of a file or folder becomes one from the root on, as the
  /// working directory is now.
  void set(Origin origin, const std::string& name, const std::string& value);
  /// Lines `NAME = value`; '#' starts a comment. \p source names the text in messages, with the line.
  void read_lines(const std::string& lines, const std::string& source);
  /// What was set; else the default, which ADCL_METHOD may change.
  [[nodiscard]] const std::string& value(const std::string& name) const;
  [[nodiscard]] Origin origin(const std::string& name) const;
  /// Of all options.
  [[nodiscard]] OptionValues values() const;

 private:
  struct Entry {
    std::string value;
    Origin origin = Origin::default_value;
  };
  [[nodiscard]] bool takes_value_of_thesis(const Option& option) const;

  std::map<std::string, Entry> entries_;
};

/// Which codelets of a function set are candidates: the option ADCL_CODELETS.
class CodeletFilter {
 public:
  struct Rule {
    bool excludes = false;
    std::vector<std::string> names;
  };
  CodeletFilter() = default;
  /// By function set.
  explicit CodeletFilter(std::map<std::string, Rule> rules) : rules_(std::move(rules)) {}
  /// `set:name,name` keeps, `set:^name,name` excludes; several sets are separated by ';'. Throws Error(option).
  explicit CodeletFilter(const std::string& specification);
  /// Throws Error(option) when the filters of \p set name a codelet that is not in \p known, with the nearest one; and
  /// when \p set is one of the \p predefined ones and filters are for a set of nearly its name that is none of them.
  void check(const std::string& set, std::span<const std::string> predefined, std::span<const std::string> known) const;
  [[nodiscard]] bool admits(const std::string& set, const std::string& codelet) const;
  [[nodiscard]] const std::map<std::string, Rule>& rules() const noexcept { return rules_; }

 private:
  std::map<std::string, Rule> rules_;
};

/// How times come about without a timer: ADCL_TIMING.
enum class Timing {
  arrival,    ///< of an operation, from the last rank's arrival to the last one's departure, where all are on one node
  nobarrier,  ///< of an operation, on each rank by itself
  barrier,    ///< of an operation, before and after which the ranks meet
  interval    ///< from one start of a request to its next
};
/// The value of the ADCL_TIMING named \p word.
Timing timing_of(const std::string& word);

/// The values that a request is created with. Rank 0's travel to all ranks as they are, so that no rank reads a number
/// from a text that another one has read differently.
struct Settings {
  OptionValues values;  ///< of all options; code that is not on the path of every start reads them here, by name
  std::string run;      ///< what the run is called, where there is a trace

  // Derived from `values` once, for the code that searches and starts.
  std::string search;
  std::string outliers;
  OptionValues search_options;  ///< what the selection logic and the statistical method read, and nothing else
  Timing timing = Timing::arrival;
  bool merge_requests = true;
  int timer_interval = 1;       ///< starts of a timer between two times that the ranks meet, n_s
  int timer_combinations = 64;  ///< of which a timer compares all
  int monitor = 0;              ///< starts in production between two checks; 0: none; by_time: as time goes
  static constexpr int by_time = -1;
  bool overlap_blocking = false;
  std::string trace;
  bool trace_production = false;    ///< where there is a trace, all starts are in it
  std::uint64_t decision_hash = 0;  ///< of everything that can change a decision

  /// \p values of all options.
  static Settings from(OptionValues values);
  /// All values as bytes, for another process of the same job.
  [[nodiscard]] std::vector<std::byte> pack() const;
  /// Throws Error(internal) for bytes of another version of the library.
  static Settings unpack(std::span<const std::byte> bytes);
  /// What \p bytes of another process say: \p own where they say the same, so that all requests share one object.
  static std::shared_ptr<const Settings> adopt(std::shared_ptr<const Settings> own, std::span<const std::byte> bytes);
};

/// The values of all options of \p table that are not of one process, in its order; the others have their defaults.
std::vector<std::byte> pack_values(const OptionValues& values, std::span<const Option> table);
/// Takes them off the front of \p bytes. Throws Error(internal) when they are not of this table.
OptionValues unpack_values(std::span<const std::byte>& bytes, std::span<const Option> table);
/// Of the values of \p table that can change a decision of \p search, which judges by \p outliers.
std::uint64_t decision_hash_of(const OptionValues& values, std::span<const Option> table, const std::string& search,
                               const std::string& outliers);

}  // namespace adcl::runtime
