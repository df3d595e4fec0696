#include "runtime/report.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <mutex>
#include <numeric>
#include <sstream>

#include "core/error.hpp"
#include "runtime/emethod.hpp"

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

std::string microseconds(double seconds) {
  std::ostringstream stream = plain_stream();
  stream << std::fixed << std::setprecision(2) << seconds * 1e6;
  return stream.str();
}

void render_row(std::ostringstream& table, const search::Candidate& candidate, const search::Knowledge& known,
                bool winner, std::size_t width) {
  table << (winner ? " * " : "   ") << std::left << std::setw(static_cast<int>(width)) << candidate.name << std::right;
  if (known.numbers.measurements > 0) {
    table << std::setw(14) << microseconds(known.judged_s) << std::setw(14) << microseconds(known.numbers.mean_s)
          << std::setw(10) << known.numbers.outliers << std::setw(10) << known.numbers.measurements;
  } else {
    table << std::setw(14) << "-" << std::setw(14) << "-" << std::setw(10) << "-" << std::setw(10) << 0;
  }
  table << "  " << known.removed << '\n';
}

}  // namespace

std::string render(const SearchSummary& summary) {
  const auto& candidates = summary.subject.candidates;
  const auto& knowledge = summary.search->knowledge();
  const auto& verdict = summary.search->verdict();
  std::ostringstream table = plain_stream();
  table << "ADCL " << summary.subject.function_set << " #" << summary.subject.id << ": " << summary.subject.problem
        << ", " << summary.ranks << " ranks, used by " << summary.mode << '\n';
  if (verdict.has_value()) {
    table << "winner " << candidates[static_cast<std::size_t>(verdict->winner)].name << ": " << verdict->reason << '\n';
  } else {
    table << "no winner yet: the program ended while " << summary.logic << " was searching\n";
  }
  table << "search (" << summary.logic << "): " << summary.starts << " starts, " << std::setprecision(3)
        << summary.searching_s << " s on rank 0\n";
  std::size_t width = 8;
  for (const auto& candidate : candidates) {
    width = std::max(width, candidate.name.size() + 2);
  }
  table << "   " << std::left << std::setw(static_cast<int>(width)) << "codelet" << std::right << std::setw(14)
        << "judged [us]" << std::setw(14) << "mean [us]" << std::setw(10) << "outliers" << std::setw(10) << "measured"
        << "  removed because\n";
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return knowledge[a].judged_s < knowledge[b].judged_s; });
  for (const std::size_t i : order) {
    render_row(table, candidates[i], knowledge[i],
               verdict.has_value() && static_cast<std::size_t>(verdict->winner) == i, width);
  }
  return table.str();
}

void report(const std::string& destination, bool writer, const SearchSummary& summary) {
  if (writer && destination != "off") {
    report_line(destination, render(summary));
  }
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
