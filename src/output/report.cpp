#include "output/report.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>

#include "core/error.hpp"
#include "select/duration.hpp"

namespace adcl::runtime {
namespace {

struct Reports {
  std::mutex mutex;
  std::map<std::string, std::string> texts;
};

Reports& reports() {
  static Reports all;
  return all;
}

constexpr std::size_t page_width = 100;

/// Wraps \p words, starting at column \p indent. Lines break at blanks, or within a word that is longer than a line.
/// The caller has already written the first \p indent columns.
std::string wrapped(const std::string& words, std::size_t indent) {
  const std::size_t width = page_width - indent;
  std::string result;
  std::size_t begin = 0;
  while (words.size() - begin > width) {
    std::size_t end = words.rfind(' ', begin + width);
    const bool at_blank = end != std::string::npos && end > begin;
    end = at_blank ? end : begin + width;
    result += words.substr(begin, end - begin) + "\n" + std::string(indent, ' ');
    begin = end + (at_blank ? 1 : 0);
  }
  return result + words.substr(begin) + "\n";
}

std::string line_of(const char* subject, const std::string& words) {
  constexpr std::size_t indent = 8;
  std::string line = subject;
  line.resize(indent, ' ');
  return line + wrapped(printable(words), indent);
}

std::string fixed(double value) {
  std::array<char, 320> digits{};  // enough for the largest number
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed, 2);
  return {digits.data(), end.ptr};
}

/// User-defined codelets may have names of any length and with any characters.
std::string shortened(const std::string& name) {
  constexpr std::size_t longest = 30;
  const std::string shown = printable(name);
  return shown.size() <= longest ? shown : shown.substr(0, longest - 3) + "...";
}

/// The judged time, the mean, the outliers and the measurements of a codelet.
using Cells = std::array<std::string, 4>;

std::string columns(char mark, std::string name, std::size_t width, const Cells& cells) {
  constexpr std::array<std::size_t, 4> widths = {13, 13, 9, 9};
  name.resize(width, ' ');
  std::string row = text(' ', mark, ' ', name);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    row += std::string(widths[i] - std::min(widths[i], cells[i].size()), ' ') + cells[i];
  }
  return row;
}

std::string row_of(const select::Candidate& candidate, const select::Knowledge& known, char mark, std::size_t width) {
  const measure::Numbers& numbers = known.numbers;
  const Cells cells = numbers.measurements > 0 ? Cells{fixed(known.judged_s * 1e6), fixed(numbers.mean_s * 1e6),
                                                       text(numbers.outliers), text(numbers.measurements)}
                                               : Cells{"-", "-", "-", "0"};
  const std::string row = columns(mark, shortened(candidate.name), width, cells);
  return known.removed.empty() ? row + "\n" : row + "  " + wrapped(printable(known.removed), row.size() + 2);
}

/// A row for each candidate, the fastest first. One sentence lists the candidates that were not tried.
std::string render_table(const SearchSummary& summary) {
  const auto& candidates = summary.subject.candidates;
  const auto& knowledge = summary.search->knowledge();
  const auto& verdict = select::standing(*summary.search);
  std::size_t width = 8;
  for (const auto& candidate : candidates) {
    width = std::max(width, shortened(candidate.name).size() + 1);
  }
  std::string table =
      columns(' ', "codelet", width, {"judged [us]", "mean [us]", "outliers", "measured"}) + "  removed because\n";
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return knowledge[i].judged_s; });
  std::vector<std::string> untried;
  for (const std::size_t i : order) {
    const auto index = static_cast<int>(i);
    const select::Knowledge& known = knowledge[i];
    const bool wins = verdict.has_value() && verdict->winner == index;
    const bool ties = verdict.has_value() && std::ranges::count(verdict->ties, index) > 0;
    const bool no_reason = known.removed.empty() || known.removed == select::not_tried;
    if (!wins && !ties && known.numbers.measurements == 0.0 && no_reason) {
      untried.push_back(candidates[i].name);
    } else {
      table += row_of(candidates[i], known, wins ? '*' : (ties ? '=' : ' '), width);
    }
  }
  return untried.empty() ? table : table + "   not tried: " + wrapped(printable(joined(untried)), 14);
}

std::string render_gain(const SearchSummary& summary, const select::Verdict& verdict) {
  if (verdict.winner == 0) {
    return "";
  }
  const std::string first = text(shortened(summary.subject.candidates.front().name), ", the first of the table");
  if (!summary.gain.has_value()) {
    return line_of("gain", text("not measured: fewer than ", select::fewest_gain_pairs, " samples of ", first,
                                " that alternate with the winner"));
  }
  const select::Gain& gain = *summary.gain;
  const std::string evidence = text("speedup ", fixed(gain.low), " to ", fixed(gain.high), " with 95 % confidence, ",
                                    gain.pairs, " pairs of samples");
  if (gain.same()) {
    return line_of("gain", text("no measurable difference from ", first, ": ", evidence));
  }
  return line_of("gain", text(fixed(gain.speedup), " times as fast as ", first, ": ", evidence,
                              "; speedup: median of (time of the first codelet / time of the winner)"));
}

std::string render_search(const SearchSummary& summary) {
  const SearchCost& cost = summary.cost;
  std::string words = text(summary.logic, ": ", summary.starts - summary.production, " starts took ",
                           select::duration(cost.operations_s), ", plans and agreements took ",
                           select::duration(cost.preparation_s), ", on rank 0");
  if (summary.reopened > 0) {
    words = text("reopened ", summary.reopened, summary.reopened == 1 ? " time; " : " times; ", words);
  }
  if (const auto& verdict = select::standing(*summary.search); verdict.has_value()) {
    const double winner_s = summary.search->knowledge()[static_cast<std::size_t>(verdict->winner)].judged_s;
    words += std::isfinite(winner_s) ? text("; together ", select::duration(cost.lost_s(winner_s)),
                                            " more than the same number of starts of the winner")
                                     : "";
  }
  return line_of("search", words);
}

}  // namespace

std::string render(const SearchSummary& summary) {
  const auto& candidates = summary.subject.candidates;
  const auto& verdict = select::standing(*summary.search);
  const auto& names = *summary.subject.names;
  std::string page = line_of(
      "ADCL", text(summary.subject.function_set, " #", summary.subject.id, names.empty() ? "" : " " + joined(names),
                   ", used by ", summary.mode, " on ", summary.ranks, summary.ranks == 1 ? " rank" : " ranks"));
  page += line_of("", summary.subject.problem);
  if (!summary.history.empty()) {
    page += line_of("history", summary.history);
  }
  if (!verdict.has_value()) {
    page += line_of("winner", text("none yet: the program ended while ", summary.logic, " was searching"));
    return page + render_search(summary) + render_table(summary);
  }
  const auto name = [&](int candidate) { return candidates[static_cast<std::size_t>(candidate)].name; };
  page += line_of("winner", name(verdict->winner) + ": " + verdict->reason + summary.remark);
  if (!verdict->ties.empty()) {
    std::vector<std::string> ties;
    std::ranges::transform(verdict->ties, std::back_inserter(ties), name);
    page += line_of("ties", joined(ties) + ": the measurements do not separate " + (ties.size() == 1 ? "it" : "them") +
                                " from the winner");
  }
  page += render_gain(summary, *verdict) + render_search(summary);
  page += line_of("then", text(summary.production, summary.production == 1 ? " start" : " starts", " in production"));
  return page + render_table(summary);
}

void report_line(const std::string& destination, const std::string& line) {
  if (destination != "off") {
    const std::scoped_lock lock(reports().mutex);
    reports().texts[destination] += line + "\n";
  }
}

void write_reports() {
  std::map<std::string, std::string> texts;
  {
    const std::scoped_lock lock(reports().mutex);
    texts.swap(reports().texts);
  }
  std::string failed;
  for (const auto& [destination, body] : texts) {
    if (destination == "stderr") {
      std::cerr << body << std::flush;
      continue;
    }
    std::ofstream file(destination, std::ios::app);
    file << body << std::flush;
    if (!file.good()) {
      failed = destination;
    }
  }
  require(failed.empty(), Code::file, "ADCL_REPORT=", failed, ": the file cannot be written");
}

}  // namespace adcl::runtime
