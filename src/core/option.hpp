/// \file option.hpp
/// One option of the library, and the values of several. An option is described where it is read; the library's table
/// is composed of these descriptions. Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace adcl {

enum class OptionType { choice, integer, real, toggle, text, path };

/// What an option affects. Says whether ranks send it to each other, and whether searches with other values are apart.
enum class OptionRole {
  decides,  ///< which codelet a search of a request chooses
  timer,    ///< how timers measure; requests of other values share a search
  output,   ///< what is written
  process   ///< this process alone; not sent
};

struct Option {
  std::string name;  ///< ADCL_...; also the environment variable
  OptionType type = OptionType::text;
  std::vector<std::string> choices;  ///< of a choice; of a path: words that are no path
  double minimum = 0.0;              ///< of an integer or real, inclusive
  double maximum = 0.0;
  std::string default_value;
  std::string help;  ///< one line
  /// What a text or a path must be besides; null: anything. Throws Error(option).
  void (*check)(const Option& option, const std::string& value) = nullptr;
  OptionRole role = OptionRole::decides;
  /// The selection logics and statistical methods that read it; empty: the library itself does.
  std::vector<std::string> users = {};  // NOLINT(readability-redundant-member-init): no initializer is missing
  /// The default with ADCL_METHOD=thesis; empty: the same.
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

  /// The same option with another role.
  [[nodiscard]] Option with(OptionRole other) const;
  /// The same option with another default where the library is to decide as the thesis describes.
  [[nodiscard]] Option in_thesis(std::string value) const;
  /// Whether both are the same but for their users.
  [[nodiscard]] bool describes_as(const Option& other) const;
  bool operator==(const Option&) const = default;
};

/// \p value as it is stored. Throws Error(option) naming the option, the value and what is accepted.
std::string checked_value(const Option& option, const std::string& value);

/// What options are set to, read by name. Numbers are kept as numbers, so that one process can send its values to
/// another one, which then need not read texts.
class OptionValues {
 public:
  using Value = std::variant<bool, int, double, std::string>;

  OptionValues() = default;
  /// The defaults of \p options.
  explicit OptionValues(std::span<const Option> options) { add(options); }

  /// Each gets its default.
  void add(std::span<const Option> options);
  /// Throws Error(option) as checked_value().
  void set(const Option& option, const std::string& value);
  /// A value of the option's type, from another process.
  void set(const std::string& name, Value value) { values_[name] = std::move(value); }
  /// Takes over what \p other has for \p options. Throws Error(internal) for one that it lacks.
  void take(const OptionValues& other, std::span<const Option> options);

  // Each throws Error(internal) for an option that is not among these or of another type: code that reads an option
  // must list it in its row.
  [[nodiscard]] bool toggle(const std::string& name) const;
  [[nodiscard]] int integer(const std::string& name) const;
  [[nodiscard]] double real(const std::string& name) const;
  /// A choice or a text.
  [[nodiscard]] const std::string& word(const std::string& name) const;

  [[nodiscard]] const Value& value(const std::string& name) const;
  [[nodiscard]] const std::map<std::string, Value>& all() const noexcept { return values_; }

 private:
  template <typename Type>
  [[nodiscard]] const Type& get(const std::string& name) const;

  std::map<std::string, Value> values_;
};

}  // namespace adcl
