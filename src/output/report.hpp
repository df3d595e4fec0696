/// \file report.hpp
/// The table that ADCL_REPORT asks for.
#pragma once

#include <optional>
#include <string>

#include "core/record.hpp"
#include "select/gain.hpp"
#include "select/search.hpp"
#include "select/subject.hpp"

namespace adcl::runtime {

/// One search, at its end.
struct SearchSummary {
  const select::Subject& subject;
  std::string mode;
  const select::Search* search = nullptr;
  SearchCost cost;  ///< on this rank
  int ranks = 0;
  std::string logic;
  long long starts = 0;                ///< all of them
  long long production = 0;            ///< of these: starts that ran the winner, or what led, without being measured
  int reopened = 0;                    ///< how often a decision was withdrawn
  std::string history{};               ///< what earlier runs had learnt; empty: nothing
  std::string objection{};             ///< to be added to the reason of the verdict
  std::optional<select::Gain> gain{};  ///< of the winner over the first codelet; nothing: too few measurements
};

/// Keeps the summary as text for write_reports(); nothing when \p destination is "off" or not \p writer. Local.
void report(const std::string& destination, bool writer, const SearchSummary& summary);

/// Something that the report should mention, such as objects that the application did not free.
void report_line(const std::string& destination, const std::string& line);

/// Writes what was kept: to stderr, or appended to the file. Throws Error(file) after all others were written.
void write_reports();

/// The table as text, at most 100 columns wide. Pure.
std::string render(const SearchSummary& summary);

}  // namespace adcl::runtime
