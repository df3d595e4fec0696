#include "core/halo_problem.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "core/error.hpp"
#include "core/hash.hpp"

namespace adcl {
namespace {

void add_region(Hash& hash, const Region& region) {
  hash.add_all(region.start).add_all(region.extent).add_all(region.points);
}

void add_transfers(Hash& hash, const std::vector<Transfer>& transfers) {
  for (const Transfer& transfer : transfers) {
    hash.add(static_cast<std::uint64_t>(transfer.field));
    hash.add(static_cast<std::uint64_t>(transfer.peer)).add(static_cast<std::uint64_t>(transfer.tag));
    add_region(hash, transfer.region);
  }
  hash.add(transfers.size());
}

std::int64_t points_of(const std::vector<Transfer>& transfers) {
  return std::accumulate(transfers.begin(), transfers.end(), std::int64_t{0},
                         [](std::int64_t sum, const Transfer& transfer) { return sum + transfer.region.count(); });
}

std::string extents_of(const Grid& grid) {
  std::string extents;
  for (const int extent : grid.dims) {
    extents += (extents.empty() ? "" : "x") + text(extent);
  }
  return extents;
}

}  // namespace

const char* Neighborhood::kind_name() const {
  switch (kind) {
    case Kind::cartesian:
      return "cartesian";
    case Kind::generic:
      return "generic";
    case Kind::extended:
      return "extended";
    case Kind::graph:
      return "graph";
  }
  return "";
}

std::uint64_t HaloProblem::signature() const {
  Hash hash;
  hash.add("neighborhood").add(neighborhood.kind_name()).add(static_cast<std::uint64_t>(neighborhood.size));
  hash.add_all(neighborhood.coords).add_all(neighborhood.grid_dims).add_all(neighborhood.periodic);
  hash.add(fields.size());
  for (const HaloField& field : fields) {
    hash.add_all(field.send.grid.dims).add_all(field.receive.grid.dims);
    hash.add(static_cast<std::uint64_t>(field.send.grid.fortran_order));
    hash.add(static_cast<std::uint64_t>(field.same_buffer));
  }
  add_transfers(hash, sends);
  add_transfers(hash, receives);
  hash.add(nodes != nullptr ? nodes->hash : 0);
  return hash.value();
}

std::string HaloProblem::describe() const {
  std::string extents = several_fields() ? text(fields.size(), " fields: ") : "";
  for (std::size_t f = 0; f < fields.size(); ++f) {
    extents += (f == 0 ? "" : ", ") + extents_of(fields[f].send.grid);
  }
  return text("halo of ", extents, " points, ", neighborhood.kind_name(), " topology, ", sends.size(),
              " messages out (", points_of(sends), " points), ", receives.size(), " in (", points_of(receives),
              " points)");
}

std::vector<PairStep> HaloProblem::pair_schedule() const {
  const int me = neighborhood.rank;
  using Key = std::tuple<int, int, int>;
  std::map<Key, PairStep> steps;
  const auto step_of = [&](const Transfer& transfer) -> PairStep& {
    PairStep& step = steps[{transfer.phase, std::min(me, transfer.peer), std::max(me, transfer.peer)}];
    step.peer = transfer.peer;
    step.first = me < transfer.peer;
    step.self = me == transfer.peer;
    return step;
  };
  for (std::size_t i = 0; i < sends.size(); ++i) {
    step_of(sends[i]).sends.push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < receives.size(); ++i) {
    step_of(receives[i]).receives.push_back(static_cast<int>(i));
  }
  std::vector<PairStep> schedule;
  schedule.reserve(steps.size());
  for (auto& entry : steps) {
    schedule.push_back(std::move(entry.second));
  }
  return schedule;
}

}  // namespace adcl
