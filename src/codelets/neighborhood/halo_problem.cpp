#include "codelets/neighborhood/halo_problem.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "codelets/neighborhood/message_check.hpp"
#include "core/error.hpp"
#include "mpi/datatype.hpp"

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

/// Totals of all messages of one direction.
struct Sums {
  std::int64_t points = 0;
  std::int64_t bytes = 0;
  std::int64_t largest = 0;  ///< size of the largest message in bytes
};

Sums sums_of(const HaloProblem& problem, Way way) {
  Sums sums;
  for (const Transfer& transfer : problem.transfers(way)) {
    const mpi::Element* element = problem.array(transfer, way).element;
    const std::int64_t bytes = element != nullptr ? transfer.region.count() * element->size_bytes() : 0;
    sums.points += transfer.region.count();
    sums.bytes += bytes;
    sums.largest = std::max(sums.largest, bytes);
  }
  return sums;
}

/// Hash of the memory layouts of all fields, sent and received.
std::uint64_t layout_hash(const std::vector<HaloField>& fields) {
  Hash hash;
  for (const HaloField& field : fields) {
    for (const mpi::Element* element : {field.send.element, field.receive.element}) {
      hash.add(element != nullptr ? element->layout_hash() : 0);
    }
  }
  return hash.value();
}

std::string datatype_of(const std::vector<HaloField>& fields) {
  std::string names;
  for (const HaloField& field : fields) {
    const std::string name = field.send.element != nullptr ? field.send.element->name() : "";
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

std::string extents_of(const Grid& grid) {
  std::string extents;
  for (const int extent : grid.dims) {
    extents += (extents.empty() ? "" : "x") + text(extent);
  }
  return extents;
}

}  // namespace

Statement HaloProblem::state() const {
  Hash common;
  common.add(neighborhood.kind_name()).add(fields.size());
  for (const HaloField& field : fields) {
    common.add(static_cast<std::uint64_t>(field.same_buffer));
  }
  common.add(static_cast<std::uint64_t>(topology_id));
  return {common.value(), ", the topology, the number of fields, or the use of one vector or two vectors",
          layout_hash(fields), message_balances(*this), tag_span};
}

void HaloProblem::settle(const Settlement& settlement) {
  uniform_layout = settlement.alike;
  tag_base = settlement.first_tag;
  tag_span = settlement.tags;
  request_id = settlement.request;
}

void HaloProblem::verify(mpi::Context& context, const std::array<std::uint64_t, 2>& balances) const {
  verify_messages(*this, context, balances);
}

void HaloProblem::identify(Hash& hash) const {
  neighborhood.identify(hash);
  hash.add(fields.size()).add(layout_hash(fields));
  for (const HaloField& field : fields) {
    hash.add_all(field.send.grid.dims).add_all(field.receive.grid.dims);
    hash.add(static_cast<std::uint64_t>(field.send.grid.fortran_order));
    hash.add(static_cast<std::uint64_t>(field.receive.grid.fortran_order));
    hash.add(static_cast<std::uint64_t>(field.same_buffer));
    hash.add(static_cast<std::uint64_t>(field.send.private_because.empty()));
    hash.add(static_cast<std::uint64_t>(field.receive.private_because.empty()));
  }
  add_transfers(hash, sends);
  add_transfers(hash, receives);
}

void HaloProblem::add_features(Features& features) const {
  std::string extents = several_fields() ? text(fields.size(), " fields: ") : "";
  for (std::size_t f = 0; f < fields.size(); ++f) {
    extents += (f == 0 ? "" : ", ") + extents_of(fields[f].send.grid);
  }
  const Sums out = sums_of(*this, Way::out);
  const Sums in = sums_of(*this, Way::in);
  features.insert(
      features.end(),
      {{"extents", extents, text("halo of ", extents, " points")},
       {"fields", static_cast<double>(fields.size())},
       {"datatype", datatype_of(fields)},
       {"topology", neighborhood.kind_name(), text(neighborhood.kind_name(), " topology")},
       {"dimensions", static_cast<double>(neighborhood.ndims)},
       {"neighbors", static_cast<double>(neighborhood.neighbor_count())},
       {"messages_out", static_cast<double>(sends.size()),
        text(sends.size(), sends.size() == 1 ? " message" : " messages", " out (", out.points, " points)")},
       {"bytes_out", static_cast<double>(out.bytes)},
       {"largest_message_bytes", static_cast<double>(std::max(out.largest, in.largest))},
       {"messages_in", static_cast<double>(receives.size()), text(receives.size(), " in (", in.points, " points)")},
       {"bytes_in", static_cast<double>(in.bytes)}});
}

std::int64_t HaloProblem::bytes_out() const { return sums_of(*this, Way::out).bytes; }

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
