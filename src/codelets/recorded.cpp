#include "codelets/recorded.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace adcl::codelets {
namespace {

constexpr std::size_t nearest_settings = 6;
constexpr double other_version = 0.5;
constexpr double other_library = 1.0;

std::string_view family_of(std::string_view library) { return library.substr(0, library.find_first_of("0123456789")); }

}  // namespace

void keep_nearest(std::vector<NearSetting>& settings) {
  std::stable_sort(settings.begin(), settings.end(),
                   [](const NearSetting& a, const NearSetting& b) { return a.distance < b.distance; });
  settings.resize(std::min(settings.size(), nearest_settings));
}

void RecordedMeans::add(const RecordedTime& time, double distance) {
  Sums& sums = sums_[time.row];
  const double weight = 1.0 / (1.0 + distance);
  sums.weight += weight;
  sums.log_time += weight * time.hundredths / 100.0;
  sums.first += weight * std::max(time.first, 1);
}

std::vector<Expectation> RecordedMeans::expectations() const {
  std::vector<Expectation> result(sums_.size());
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (sums_[i].weight > 0.0) {
      result[i] = {sums_[i].log_time / sums_[i].weight, sums_[i].first / sums_[i].weight};
    }
  }
  return result;
}

bool take_time(std::string_view& text, RecordedTime& time) {
  const std::string_view entry = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), entry.size() + 1));
  const char* const end = entry.data() + entry.size();
  const auto [slash, error] = std::from_chars(entry.data(), end, time.hundredths);
  return error == std::errc() && slash != end && std::from_chars(slash + 1, end, time.first).ec == std::errc();
}

double library_distance(std::string_view library, std::string_view recorded) {
  if (library == recorded) {
    return 0.0;
  }
  return family_of(library) == family_of(recorded) ? other_version : other_library;
}

std::string recorded_name(const Machine& machine) {
  const std::string major = machine.version.substr(0, machine.version.find('.'));
  if (machine.library == "Open MPI") {
    return "openmpi" + major;
  }
  if (machine.library.starts_with("Intel")) {
    return "intel" + major;
  }
  return machine.library == "MPICH" ? "mpich" + major : "";
}

}  // namespace adcl::codelets
