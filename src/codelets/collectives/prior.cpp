#include "codelets/collectives/prior.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "codelets/collectives/collective_problem.hpp"
#include "codelets/recorded.hpp"

namespace adcl::codelets {
namespace {

constexpr int most_ranks = 4;

/// The recorded codelets of a function set, in the order of their times.
struct RecordedSet {
  std::string_view set;
  std::string_view codelets;
};

struct RecordedBlock {
  std::string_view library;
  std::string_view set;
  double bytes = 0.0;
  std::string_view times;  ///< number/number for each codelet, separated by blanks; "-": codelet not applicable
};

constexpr auto recorded_sets = std::to_array<RecordedSet>({
#define ADCL_RECORDED_SET(set, codelets) {set, codelets},
#define ADCL_RECORDED(library, set, bytes, times)
#include "codelets/collectives/prior.def"
#undef ADCL_RECORDED
#undef ADCL_RECORDED_SET
});

constexpr auto recorded_blocks = std::to_array<RecordedBlock>({
#define ADCL_RECORDED_SET(set, codelets)
#define ADCL_RECORDED(library, set, bytes, times) {library, set, bytes, times},
#include "codelets/collectives/prior.def"
#undef ADCL_RECORDED
#undef ADCL_RECORDED_SET
});

/// The rows of the recorded codelets; the number of rows for a codelet that the table no longer contains.
std::vector<std::size_t> rows_of(const FunctionSet& set) {
  std::vector<std::size_t> rows;
  const auto recorded =
      std::find_if(recorded_sets.begin(), recorded_sets.end(), [&](const RecordedSet& r) { return r.set == set.name; });
  std::string_view names = recorded != recorded_sets.end() ? recorded->codelets : "";
  std::size_t next = 0;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(' '));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    if (next >= set.codelets.size() || set.codelets[next].name != name) {  // usually in the order of the table
      const auto found = std::find_if(set.codelets.begin(), set.codelets.end(),
                                      [&](const Codelet& codelet) { return codelet.name == name; });
      next = static_cast<std::size_t>(found - set.codelets.begin());
    }
    rows.push_back(next++);
  }
  return rows;
}

}  // namespace

std::vector<Expectation> expected_of(const FunctionSet& set, std::int64_t block_bytes, std::string_view library,
                                     std::string_view left_out) {
  std::vector<NearSetting> near;
  for (std::size_t place = 0; place < recorded_blocks.size(); ++place) {
    const RecordedBlock& block = recorded_blocks[place];
    if (block.set == set.name && block.library != left_out) {
      const double apart = std::abs(std::log2((static_cast<double>(block_bytes) + 1.0) / (block.bytes + 1.0)));
      near.push_back({apart + library_distance(library, block.library), place});
    }
  }
  if (near.empty()) {
    return {};
  }
  keep_nearest(near);
  const std::vector<std::size_t> rows = rows_of(set);
  RecordedMeans means(set.codelets.size());
  for (const NearSetting& one : near) {
    std::string_view times = recorded_blocks[one.place].times;
    for (const std::size_t row : rows) {
      RecordedTime time;
      time.row = row;
      if (take_time(times, time) && row < set.codelets.size()) {
        means.add(time, one.distance);
      }
    }
  }
  return means.expectations();
}

std::vector<Expectation> expected_of(const FunctionSet& set, const Problem& problem) {
  const auto& operation = collective(problem);
  const Machine* const machine = problem.runs_on();
  if (machine == nullptr || machine->nodes.count != 1 || operation.size < 2 || operation.size > most_ranks) {
    return {};
  }
  return expected_of(set, operation.block_bytes(), recorded_name(*machine));
}

}  // namespace adcl::codelets
