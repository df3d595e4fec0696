#include "codelets/neighborhood/prior.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "codelets/neighborhood/halo_problem.hpp"
#include "codelets/sets.hpp"
#include "mpi/library.hpp"

namespace adcl::codelets {
namespace {

constexpr std::size_t nearest_settings = 6;
/// As far away as a message of 1.4 times as many bytes, and of twice as many.
constexpr double other_version = 0.5;
constexpr double other_library = 1.0;

struct Recorded {
  std::string_view library;
  ExchangeSize size;
  std::string_view times;  ///< NAME=number/number, with spaces between
};

constexpr auto recorded = std::to_array<Recorded>({
#define ADCL_RECORDED(library, bytes, messages, fields, times) {library, {bytes, messages, fields}, times},
#include "codelets/neighborhood/prior.def"
#undef ADCL_RECORDED
});

std::string_view family_of(std::string_view library) { return library.substr(0, library.find_first_of("0123456789")); }

/// What depends most on a number has the largest factor: with the number of fields another algorithm wins.
double distance(const ExchangeSize& size, std::string_view library, const Recorded& setting) {
  const ExchangeSize& other = setting.size;
  const auto apart = [](double a, double b) { return std::abs(std::log2((a + 1.0) / (b + 1.0))); };
  const double foreign = library == setting.library                         ? 0.0
                         : family_of(library) == family_of(setting.library) ? other_version
                                                                            : other_library;
  return apart(size.message_bytes, other.message_bytes) + 1.5 * apart(size.messages, other.messages) +
         3.0 * std::abs(std::log2(size.fields / other.fields)) + foreign;
}

/// Sums over settings, of a row.
struct Sums {
  double weight = 0.0;
  double log_time = 0.0;
  double log_first = 0.0;
};

/// What a setting says of the rows, added to the sums.
void add(std::string_view times, double weight, std::vector<Sums>& sums) {
  const auto& rows = neighborhood().codelets;
  auto next = rows.begin();  // nearly always: settings list codelets in the order of the table
  while (!times.empty()) {
    const std::string_view entry = times.substr(0, times.find(' '));
    times.remove_prefix(std::min(times.size(), entry.size() + 1));
    const std::string_view name = entry.substr(0, entry.find('='));
    const char* const end = entry.data() + entry.size();
    int hundredths = 0;
    int first = 1;
    const char* const slash = std::from_chars(entry.data() + name.size() + 1, end, hundredths).ptr;
    std::from_chars(slash + 1, end, first);
    const auto is_it = [name](const Codelet& codelet) { return codelet.name == name; };
    auto row = std::find_if(next, rows.end(), is_it);
    if (row == rows.end()) {
      row = std::find_if(rows.begin(), rows.end(), is_it);
    }
    if (row != rows.end()) {
      next = row + 1;
      const auto place = static_cast<std::size_t>(row - rows.begin());
      sums[place].weight += weight;
      sums[place].log_time += weight * hundredths / 100.0;
      sums[place].log_first += weight * std::log(std::max(first, 1));
    }
  }
}

}  // namespace

std::vector<Expectation> expected_of(const ExchangeSize& size, std::string_view library, std::string_view left_out) {
  std::vector<std::pair<double, const Recorded*>> near;
  for (const Recorded& setting : recorded) {
    if (setting.library != left_out) {
      near.emplace_back(distance(size, library, setting), &setting);
    }
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  near.resize(std::min(near.size(), nearest_settings));
  std::vector<Sums> sums(neighborhood().codelets.size());
  for (const auto& [apart, setting] : near) {
    add(setting->times, 1.0 / (1.0 + apart), sums);
  }
  std::vector<Expectation> result(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].weight > 0.0) {
      result[i] = {sums[i].log_time / sums[i].weight, std::exp(sums[i].log_first / sums[i].weight)};
    }
  }
  return result;
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
  static const std::string library = recorded_name(mpi::library_version());
  return expected_of(ExchangeSize{static_cast<double>(halo.bytes_out()) / messages, messages / fields, fields}, library);
}

std::string recorded_name(std::string_view version_line) {
  const auto [name, version] = mpi::split_version(version_line);
  const std::string major = version.substr(0, version.find('.'));
  if (name == "Open MPI") {
    return "openmpi" + major;
  }
  return name == "MPICH" ? "mpich" + major : "";
}

}  // namespace adcl::codelets
