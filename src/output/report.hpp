/// \file report.hpp
/// The report that ADCL_REPORT requests.
#pragma once

#include <optional>
#include <string>

#include "core/record.hpp"
#include "select/gain.hpp"
#include "select/search.hpp"
#include "select/subject.hpp"

namespace adcl::runtime {

/// Summary of one search at its end.
struct SearchSummary {
  const select::Subject& subject;
  std::string mode;
  const select::Search* search = nullptr;
  SearchCost cost;  ///< cost on this rank
  int ranks = 0;
  std::string logic;
  long long starts = 0;      ///< all starts
  long long production = 0;  ///< starts that ran the winner, or the best candidate so far, without being measured
  int reopened = 0;          ///< number of withdrawn decisions
  std::string history{};     ///< source of stored results; empty: none
  std::string remark{};      ///< appended to the reason of the verdict
  std::optional<select::Gain> gain{};  ///< of the winner relative to the first codelet; empty: too few measurements
};

/// Keeps text for write_reports(), for example about objects that the application did not free. Does nothing if
/// \p destination is "off". Local.
void report_line(const std::string& destination, const std::string& line);

/// Writes the kept texts to stderr, or appends them to the files. Throws Error(file) if a file cannot be written, after
/// all other files were written.
void write_reports();

/// The table as text, at most 100 columns wide. Pure.
std::string render(const SearchSummary& summary);

}  // namespace adcl::runtime
