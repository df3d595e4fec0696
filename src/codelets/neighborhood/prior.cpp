#include "codelets/neighborhood/prior.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "codelets/neighborhood/halo_problem.hpp"
#include "codelets/recorded.hpp"
#include "codelets/sets.hpp"

namespace adcl::codelets {
namespace {

struct RecordedHalo {
  std::string_view library;
  ExchangeSize size;
  std::string_view times;  ///< NAME=number/number, separated by blanks
};

constexpr auto recorded_halos = std::to_array<RecordedHalo>({
#define ADCL_RECORDED(library, bytes, messages, fields, times) {library, {bytes, messages, fields}, times},
#include "codelets/neighborhood/prior.def"
#undef ADCL_RECORDED
});

/// Numbers that affect the times more have larger factors. The number of fields has the largest factor, because it
/// often changes the winner.
double distance(const ExchangeSize& one, const ExchangeSize& other) {
  const auto apart = [](double a, double b) { return std::abs(std::log2((a + 1.0) / (b + 1.0))); };
  return apart(one.message_bytes, other.message_bytes) + 1.5 * apart(one.messages, other.messages) +
         3.0 * std::abs(std::log2(one.fields / other.fields));
}

/// Adds the recorded times of a setting to the means.
void add(std::string_view times, double distance, RecordedMeans& means) {
  const auto& rows = neighborhood().codelets;
  auto next = rows.begin();  // usually, settings list codelets in the order of the table
  while (!times.empty()) {
    const std::string_view name = times.substr(0, times.find('='));
    times.remove_prefix(std::min(times.size(), name.size() + 1));
    RecordedTime time;
    const bool recorded = take_time(times, time);
    const auto is_it = [name](const Codelet& codelet) { return codelet.name == name; };
    auto row = std::find_if(next, rows.end(), is_it);
    if (row == rows.end()) {
      row = std::find_if(rows.begin(), rows.end(), is_it);
    }
    if (recorded && row != rows.end()) {
      time.row = static_cast<std::size_t>(row - rows.begin());
      means.add(time, distance);
      next = row + 1;
    }
  }
}

}  // namespace

std::vector<Expectation> expected_of(const ExchangeSize& size, std::string_view library, std::string_view left_out) {
  std::vector<NearSetting> near;
  for (std::size_t place = 0; place < recorded_halos.size(); ++place) {
    const RecordedHalo& setting = recorded_halos[place];
    if (setting.library != left_out) {
      near.push_back({distance(size, setting.size) + library_distance(library, setting.library), place});
    }
  }
  keep_nearest(near);
  RecordedMeans means(neighborhood().codelets.size());
  for (const NearSetting& one : near) {
    add(recorded_halos[one.place].times, one.distance, means);
  }
  return means.expectations();
}

std::vector<Expectation> expected_of(const Problem& problem) {
  const auto& halo = dynamic_cast<const HaloProblem&>(problem);
  const bool one_node = std::all_of(halo.sends.begin(), halo.sends.end(),
                                    [&](const Transfer& transfer) { return halo.is_near(transfer.peer); });
  if (halo.sends.empty() || !one_node) {
    return {};
  }
  const auto fields = static_cast<double>(halo.fields.size());
  const auto messages = static_cast<double>(halo.sends.size());
  const std::string library = halo.runs_on() == nullptr ? "" : recorded_name(*halo.runs_on());
  return expected_of(ExchangeSize{static_cast<double>(halo.bytes_out()) / messages, messages / fields, fields},
                     library);
}

}  // namespace adcl::codelets
