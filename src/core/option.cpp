#include "core/option.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/nearest.hpp"

namespace adcl {
namespace {

double number_of(const Option& option, const std::string& value) {
  const auto number = to_number(value);
  const bool integer = option.type == OptionType::integer;
  const bool good = number.has_value() && *number >= option.minimum && *number <= option.maximum &&
                    (!integer || std::trunc(*number) == *number);
  const auto shown = [integer](double bound) { return integer ? text(static_cast<int>(bound)) : text(bound); };
  require(good, Code::option, option.name, "=", value, ": expected a ", integer ? "whole number" : "number", " from ",
          shown(option.minimum), " to ", shown(option.maximum));
  return *number;
}

OptionValues::Value value_of(const Option& option, const std::string& value) {
  switch (option.type) {
    case OptionType::choice:
      require(std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end(), Code::option,
              option.name, "=", value, ": did you mean ", nearest(value, option.choices),
              "? Accepted values: ", joined(option.choices));
      return value;
    case OptionType::integer:
      return static_cast<int>(number_of(option, value));
    case OptionType::real:
      return number_of(option, value);
    case OptionType::toggle:
      require(value == "0" || value == "1", Code::option, option.name, "=", value, ": expected 0 or 1");
      return value == "1";
    case OptionType::text:
    case OptionType::path:
      if (option.check != nullptr) {
        option.check(option, value);
      }
      return value;
  }
  return value;
}

}  // namespace

Option Option::choice(std::string name, std::vector<std::string> choices, std::string default_value, std::string help) {
  return {std::move(name), OptionType::choice, std::move(choices), 0, 0, std::move(default_value), std::move(help)};
}

Option Option::integer(std::string name, int minimum, int maximum, std::string default_value, std::string help) {
  const double low = minimum;
  const double high = maximum;
  return {std::move(name), OptionType::integer, {}, low, high, std::move(default_value), std::move(help)};
}

Option Option::real(std::string name, double minimum, double maximum, std::string default_value, std::string help) {
  return {std::move(name), OptionType::real, {}, minimum, maximum, std::move(default_value), std::move(help)};
}

Option Option::toggle(std::string name, std::string default_value, std::string help) {
  return {std::move(name), OptionType::toggle, {}, 0, 1, std::move(default_value), std::move(help)};
}

Option Option::text(std::string name, std::string default_value, std::string help,
                    void (*check)(const Option&, const std::string&)) {
  return {std::move(name), OptionType::text, {}, 0, 0, std::move(default_value), std::move(help), check};
}

Option Option::path(std::string name, std::vector<std::string> words, std::string default_value, std::string help,
                    void (*check)(const Option&, const std::string&)) {
  return {std::move(name), OptionType::path, std::move(words), 0, 0, std::move(default_value), std::move(help), check};
}

Option Option::with_role(OptionRole other) const {
  Option option = *this;
  option.role = other;
  return option;
}

Option Option::with_thesis_value(std::string value) const {
  Option option = *this;
  option.thesis_value = std::move(value);
  return option;
}

bool Option::equals_except_users(const Option& other) const {
  Option same = other;
  same.users = users;
  return *this == same;
}

std::string checked_value(const Option& option, const std::string& value) {
  value_of(option, value);
  return value;
}

void OptionValues::add(std::span<const Option> options) {
  for (const Option& option : options) {
    set(option, option.default_value);
  }
}

void OptionValues::set(const Option& option, const std::string& value) {
  values_[option.name] = value_of(option, value);
}

void OptionValues::take(const OptionValues& other, std::span<const Option> options) {
  for (const Option& option : options) {
    const auto entry = other.values_.find(option.name);
    require(entry != other.values_.end(), Code::internal, option.name, " has no value");
    values_[option.name] = entry->second;
  }
}

const OptionValues::Value& OptionValues::value(const std::string& name) const {
  const auto entry = values_.find(name);
  require(entry != values_.end(), Code::internal, name, " is read by code whose list of options does not contain it");
  return entry->second;
}

template <typename Type>
const Type& OptionValues::get(const std::string& name) const {
  const auto* found = std::get_if<Type>(&value(name));
  require(found != nullptr, Code::internal, name, " is read with the wrong type");
  return *found;
}

bool OptionValues::toggle(const std::string& name) const { return get<bool>(name); }
int OptionValues::integer(const std::string& name) const { return get<int>(name); }
double OptionValues::real(const std::string& name) const { return get<double>(name); }
const std::string& OptionValues::word(const std::string& name) const { return get<std::string>(name); }

}  // namespace adcl
