#include "support/collective_model.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "codelets/collectives/vmaps.hpp"
#include "core/error.hpp"
#include "mpi/check.hpp"

namespace adcl::test {
namespace {

using codelets::Operation;

}  // namespace

mpi::Datatype EntryKind::make() const {
  std::vector<MPI_Aint> places(offsets.begin(), offsets.end());
  const std::vector<int> lengths(offsets.size(), 1);
  MPI_Datatype ints_type = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_create_hindexed(ints(), lengths.data(), places.data(), MPI_UNSIGNED, &ints_type),
             "MPI_Type_create_hindexed");
  const mpi::Datatype owner(ints_type);
  MPI_Datatype resized = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_create_resized(ints_type, 0, extent, &resized), "MPI_Type_create_resized");
  mpi::check(MPI_Type_commit(&resized), "MPI_Type_commit");
  return mpi::Datatype(resized);
}

const std::vector<EntryKind>& entry_kinds() {
  // Kinds without holes come first; SMPI supports only kinds without holes.
  static const std::vector<EntryKind> kinds{{{0}, 4}, {{0, 4, 8}, 12}, {{0, 4}, 8}, {{0}, 12}, {{4, 12}, 20}};
  return kinds;
}

std::size_t CollectiveModel::Side::bytes() const {
  std::int64_t end = 0;
  for (const Block& block : blocks) {
    end = std::max(end, block.offset + static_cast<std::int64_t>(block.entries()) * block.kind.extent);
  }
  return static_cast<std::size_t>(end + 2 * guard_bytes);
}

CollectiveModel::CollectiveModel(Operation operation, int ranks, std::uint64_t seed, bool is_long)
    : operation_(operation), ranks_(ranks) {
  Random random(seed);
  root_ = rooted() ? random.between(0, ranks - 1) : 0;
  const bool can_be_in_place = operation != Operation::bcast && operation != Operation::barrier;
  in_place_ = can_be_in_place && random.one_in(4);
  reduction_ = random.between(0, reductions - 1);
  draw_amounts(random, is_long);
  draw_sides(random);
  if (is_long && operation == Operation::bcast) {
    // A codelet that splits a broadcast requires the same datatype on all ranks.
    std::fill(receives_.begin(), receives_.end(), Side(receives_.front()));
  }
}

bool CollectiveModel::is(std::initializer_list<Operation> operations) const {
  return std::find(operations.begin(), operations.end(), operation_) != operations.end();
}

bool CollectiveModel::rooted() const {
  return is({Operation::bcast, Operation::gather, Operation::gatherv, Operation::scatter, Operation::scatterv,
             Operation::reduce});
}

bool CollectiveModel::lists() const {
  return is({Operation::gatherv, Operation::scatterv, Operation::allgatherv, Operation::alltoallv, Operation::alltoallw,
             Operation::reduce_scatter});
}

bool CollectiveModel::receives(int rank) const {
  if (is({Operation::gather, Operation::gatherv, Operation::reduce})) {
    return rank == root_;
  }
  return operation_ != Operation::barrier;
}

bool CollectiveModel::sends(int rank) const {
  if (is({Operation::scatter, Operation::scatterv})) {
    return rank == root_;
  }
  return !is({Operation::barrier, Operation::bcast});
}

void CollectiveModel::draw_amounts(Random& random, bool is_long) {
  const std::vector<int> amounts{0, 6, 12, 60, 1, 5, 606, 3001, 30, 18, 6000, 24000, 7};
  const std::vector<int> long_amounts{8196, 16386, 24000};
  const bool pairs = reduces() && reduction_ == user_chain;
  const auto draw = [&] {
    const int ints = is_long ? random.pick(long_amounts) : random.pick(amounts) / (random.one_in(2) ? 1 : 6);
    return pairs ? ints / 2 * 2 : ints;
  };
  const int all = draw();
  ints_.assign(static_cast<std::size_t>(ranks_), std::vector<int>(static_cast<std::size_t>(ranks_), all));
  if (!lists()) {
    return;
  }
  const bool by_target = is({Operation::scatterv, Operation::reduce_scatter});
  for (int from = 0; from < ranks_; ++from) {
    for (int to = 0; to < ranks_; ++to) {
      int& ints = ints_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
      ints = by_target && from > 0                                       ? ints_[0][static_cast<std::size_t>(to)]
             : is({Operation::gatherv, Operation::allgatherv}) && to > 0 ? ints_[static_cast<std::size_t>(from)][0]
             : random.one_in(3)                                          ? 0
                                                                         : std::min(draw(), 3001);
      if (pairs) {
        ints = ints / 2 * 2;
      }
    }
  }
  // In place: received blocks replace the sent blocks.
  for (int from = 0; is({Operation::alltoallv, Operation::alltoallw}) && in_place_ && from < ranks_; ++from) {
    for (int to = 0; to < from; ++to) {
      ints_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] =
          ints_[static_cast<std::size_t>(to)][static_cast<std::size_t>(from)];
    }
  }
}

CollectiveModel::Side CollectiveModel::draw_side(Random& random, const std::vector<int>& ints, bool lists) const {
  std::vector<EntryKind> fitting;
  const auto collect = [&](const auto& fits) {
    fitting.clear();
    for (const EntryKind& kind : entry_kinds()) {
      if (fits(kind) && (mpi_has_holes() || kind.extent == 4 * kind.ints())) {
        fitting.push_back(kind);
      }
    }
  };
  collect([&](const EntryKind& kind) {
    return std::all_of(ints.begin(), ints.end(), [&](int n) { return n % kind.ints() == 0; });
  });
  const EntryKind common = random.pick(fitting);
  Side side;
  std::int64_t end = 0;
  std::vector<int> order(ints.size());
  std::iota(order.begin(), order.end(), 0);
  if (lists) {
    random.shuffle(order);
  }
  side.blocks.resize(ints.size());
  for (const int i : order) {
    Block& block = side.blocks[static_cast<std::size_t>(i)];
    block.ints = ints[static_cast<std::size_t>(i)];
    block.kind = common;
    if (operation_ == Operation::alltoallw) {
      collect([&](const EntryKind& kind) { return block.ints % kind.ints() == 0; });
      block.kind = random.pick(fitting);
      end = (end + 3) / 4 * 4;
    }
    if (lists && random.one_in(3)) {
      end += operation_ == Operation::alltoallw ? 8 : block.kind.extent;
    }
    block.offset = end;
    end += static_cast<std::int64_t>(block.entries()) * block.kind.extent;
  }
  return side;
}

bool CollectiveModel::mpi_has_holes() {
#ifdef SMPI_H
  return false;
#else
  return true;
#endif
}

void CollectiveModel::draw_sides(Random& random) {
  const auto n = static_cast<std::size_t>(ranks_);
  sends_.resize(n);
  receives_.resize(n);
  EntryKind reduced = entry_kinds()[0];
  if (reduces() && reduction_ == user_chain) {
    reduced = entry_kinds()[mpi_has_holes() && random.one_in(2) ? 4 : 2];
  } else if (reduces() && reduction_ == user_sum && mpi_has_holes()) {
    reduced = entry_kinds()[random.one_in(2) ? 3 : 0];
  }
  for (std::size_t r = 0; r < n; ++r) {
    std::vector<int> out = ints_[r];
    std::vector<int> in;
    for (std::size_t from = 0; from < n; ++from) {
      in.push_back(ints_[from][r]);
    }
    if (is({Operation::gather, Operation::gatherv, Operation::allgather, Operation::allgatherv})) {
      out = {ints_[r][0]};
    } else if (is({Operation::bcast, Operation::scatter, Operation::scatterv})) {
      in = {ints_[0][r]};
    } else if (reduces()) {
      const bool scatters = is({Operation::reduce_scatter, Operation::reduce_scatter_block});
      out = scatters ? ints_[0] : std::vector<int>{ints_[0][0]};
      in = {ints_[0][scatters ? r : 0]};
    }
    if (is({Operation::allgather, Operation::allgatherv, Operation::gather, Operation::gatherv})) {
      in.clear();
      for (std::size_t from = 0; from < n; ++from) {
        in.push_back(ints_[from][0]);
      }
    }
    const bool lists_in = lists() && in.size() > 1;
    const bool lists_out = lists() && out.size() > 1 && operation_ != Operation::reduce_scatter;
    sends_[r] = draw_side(random, out, lists_out);
    receives_[r] = draw_side(random, in, lists_in);
    if (reduces()) {
      for (Side* side : {&sends_[r], &receives_[r]}) {
        std::int64_t end = 0;
        for (Block& block : side->blocks) {
          block.kind = reduced;
          block.offset = end;
          end += static_cast<std::int64_t>(block.entries()) * reduced.extent;
        }
      }
    }
  }
}

std::string CollectiveModel::describe() const {
  std::string amounts;
  for (const auto& row : ints_) {
    for (const int ints : row) {
      amounts += text(" ", ints);
    }
    amounts += " /";
    if (!lists()) {
      break;
    }
  }
  return text(codelets::name_of(operation_), ", root ", root_, in_place_ ? ", in place" : "",
              reduces() ? text(", reduction ", reduction_) : "", ", integers", amounts);
}

std::shared_ptr<data::Vmap> CollectiveModel::vmap(const Side& side, bool is_send) const {
  std::vector<int> counts;
  std::vector<int> displs;
  std::vector<MPI_Datatype> types;
  for (const Block& block : side.blocks) {
    counts.push_back(block.entries());
    displs.push_back(
        static_cast<int>(operation_ == Operation::alltoallw ? block.offset : block.offset / block.kind.extent));
  }
  if (operation_ == Operation::reduce_scatter) {
    return std::make_shared<codelets::RedscatterVmap>(counts, operation_of(reduction_, side.blocks.front().kind));
  }
  if (reduces()) {
    return std::make_shared<codelets::ReduceVmap>(counts.front(), operation_of(reduction_, side.blocks.front().kind));
  }
  if (operation_ == Operation::alltoallw) {
    for (const Block& block : side.blocks) {
      types_.push_back(block.kind.make());
      types.push_back(types_.back().get());
    }
    return std::make_shared<codelets::ListwVmap>(counts, displs, types);
  }
  if (operation_ == Operation::alltoall) {
    return std::make_shared<codelets::AlltoallVmap>(is_send ? counts.front() : 0, is_send ? 0 : counts.front());
  }
  if (lists() && side.blocks.size() == static_cast<std::size_t>(ranks_) && lists_on(is_send)) {
    return std::make_shared<codelets::ListVmap>(counts, displs);
  }
  return std::make_shared<codelets::AllVmap>(counts.front());
}

bool CollectiveModel::lists_on(bool is_send) const {
  if (is({Operation::gatherv, Operation::allgatherv})) {
    return !is_send;
  }
  return !is({Operation::scatterv}) || is_send;
}

data::Parts CollectiveModel::parts(int rank, std::vector<std::byte>& send, std::vector<std::byte>& receive,
                                   const std::shared_ptr<data::Topology>& topology) const {
  const auto r = static_cast<std::size_t>(rank);
  const auto vector = [&](std::vector<std::byte>& array, const Side& side) {
    const EntryKind& kind = side.blocks.front().kind;
    const bool plain = kind.ints() == 1 && kind.extent == 4;
    const mpi::Datatype made = kind.make();
    const auto entries = static_cast<int>((side.bytes() - 2 * guard_bytes) / static_cast<std::size_t>(kind.extent));
    return std::make_shared<data::Vector>(Grid{{std::max(entries, 1)}}, 0, plain ? MPI_UNSIGNED : made.get(),
                                          array.data() + guard_bytes);
  };
  data::Field field;
  if (!send.empty()) {
    field.send_vector = vector(send, sends_[r]);
    field.send_vmap = vmap(sends_[r], true);
  }
  if (!receive.empty()) {
    const bool input_there = in_place_on(rank) && reduces();
    field.receive_vector = vector(receive, input_there ? sends_[r] : receives_[r]);
    field.receive_vmap = vmap(input_there ? sends_[r] : receives_[r], false);
  }
  if (in_place_on(rank)) {
    const bool scatters = is({Operation::scatter, Operation::scatterv});
    (scatters ? field.receive_vmap : field.send_vmap) = std::make_shared<codelets::InplaceVmap>();
  }
  data::Parts parts;
  parts.fields.push_back(field);
  parts.topology = topology;
  return parts;
}

}  // namespace adcl::test
