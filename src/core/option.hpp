/// \file option.hpp
/// One option of the library, and the values of several options. The code that reads an option also defines it; the
/// library's table consists of these definitions. Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace adcl {

enum class OptionType { choice, integer, real, toggle, text, path };

/// What an option affects. Determines whether ranks exchange the value, and whether requests with different values have
/// separate searches.
enum class OptionRole {
  decides,  ///< the codelet that a search of a request chooses
  timer,    ///< measurements of timers; requests with different values share a search
  output,   ///< output files
  process   ///< this process only; not exchanged
};

struct Option {
  std::string name;  ///< ADCL_...; also the environment variable
  OptionType type = OptionType::text;
  std::vector<std::string> choices;  ///< values of a choice; keywords that a path also accepts
  double minimum = 0.0;              ///< smallest value of an integer or real
  double maximum = 0.0;
  std::string default_value;
  std::string help;  ///< one line
  /// Additional check of a text or a path; null: none. Throws Error(option).
  void (*check)(const Option& option, const std::string& value) = nullptr;
  OptionRole role = OptionRole::decides;
  /// The selection logics and statistical methods that read the option; empty: the library itself reads it.
  std::vector<std::string> users = {};  // NOLINT(readability-redundant-member-init): no initializer is missing
  /// The default with ADCL_METHOD=thesis; empty: the usual default.
  std::string thesis_value = {};  // NOLINT(readability-redundant-member-init)

  static Option choice(std::string name, std::vector<std::string> choices, std::string default_value, std::string help);
  static Option integer(std::string name, int minimum, int maximum, std::string default_value, std::string help);
  static Option real(std::string name, double minimum, double maximum, std::string default_value, std::string help);
  static Option toggle(std::string name, std::string default_value, std::string help);
  static Option text(std::string name, std::string default_value, std::string help,
                     void (*check)(const Option&, const std::string&) = nullptr);
  /// A file or folder, or one of \p words.
  static Option path(std::string name, std::vector<std::string> words, std::string default_value, std::string help,
                     void (*check)(const Option&, const std::string&) = nullptr);

  /// A copy with another role.
  [[nodiscard]] Option with_role(OptionRole other) const;
  /// A copy with another default for ADCL_METHOD=thesis.
  [[nodiscard]] Option with_thesis_value(std::string value) const;
  /// Whether both options are equal except for their users.
  [[nodiscard]] bool equals_except_users(const Option& other) const;
  bool operator==(const Option&) const = default;
};

/// Returns \p value in the form in which it is stored. Throws Error(option) with the option, the value and the accepted
/// values.
std::string checked_value(const Option& option, const std::string& value);

/// The values of options, read by name. Numbers are stored as numbers, so that a process can send its values to another
/// process without parsing.
class OptionValues {
 public:
  using Value = std::variant<bool, int, double, std::string>;

  OptionValues() = default;
  /// The defaults of \p options.
  explicit OptionValues(std::span<const Option> options) { add(options); }

  /// Adds \p options with their defaults.
  void add(std::span<const Option> options);
  /// Sets the value of \p option. Throws the errors of checked_value().
  void set(const Option& option, const std::string& value);
  /// Stores a value of the option's type, received from another process.
  void set(const std::string& name, Value value) { values_[name] = std::move(value); }
  /// Copies the values of \p options from \p other. Throws Error(internal) for an option that \p other lacks.
  void take(const OptionValues& other, std::span<const Option> options);

  // Each function returns the value of an option. It throws Error(internal) if the option is unknown or has another
  // type: the row of a logic or a method must list the options that it reads.
  [[nodiscard]] bool toggle(const std::string& name) const;
  [[nodiscard]] int integer(const std::string& name) const;
  [[nodiscard]] double real(const std::string& name) const;
  /// The value of a choice or a text.
  [[nodiscard]] const std::string& word(const std::string& name) const;

  [[nodiscard]] const Value& value(const std::string& name) const;
  [[nodiscard]] const std::map<std::string, Value>& all() const noexcept { return values_; }

 private:
  template <typename Type>
  [[nodiscard]] const Type& get(const std::string& name) const;

  std::map<std::string, Value> values_;
};

}  // namespace adcl
