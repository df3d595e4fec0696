/// \file report_line.hpp
/// Formats of numbers and lines in the programs' reports.
#pragma once

#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>

namespace apps {

inline std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

inline std::string scientific(double value) {
  std::ostringstream text;
  text << std::scientific << std::setprecision(3) << value;
  return text.str();
}

/// Formats a number with the smallest sufficient number of digits.
inline std::string shortest(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

inline std::string seconds(double value) { return fixed(value, 4) + " s"; }

inline std::string share(double part, double whole) {
  std::ostringstream text;
  text << '(' << fixed(whole > 0.0 ? 100.0 * part / whole : 0.0, 1) << " % of the total)";
  return text.str();
}

inline std::string checksum(std::uint64_t value) {
  std::ostringstream text;
  text << std::hex << std::setfill('0') << std::setw(16) << value;
  return text.str();
}

inline const char* verdict(bool correct) { return correct ? ": ok\n" : ": WRONG\n"; }

/// A line of the report: a label and its value.
class Line {
 public:
  Line(std::ostringstream& text, std::string_view name) : text_(text) { text_ << std::left << std::setw(20) << name; }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() = default;

  template <typename Value>
  Line& operator<<(const Value& value) {
    text_ << value;
    return *this;
  }

 private:
  std::ostringstream& text_;
};

}  // namespace apps
