#include "codelets/collectives/collective_problem.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "mpi/context.hpp"
#include "mpi/operation.hpp"

namespace adcl::codelets {
namespace {

struct OpName {
  MPI_Op op;
  const char* name;
};

/// Not a constant, because the operations are link-time addresses in some MPI libraries.
std::vector<OpName> predefined_ops() {
  return {{MPI_SUM, "MPI_SUM"},   {MPI_PROD, "MPI_PROD"}, {MPI_MAX, "MPI_MAX"},       {MPI_MIN, "MPI_MIN"},
          {MPI_LAND, "MPI_LAND"}, {MPI_BAND, "MPI_BAND"}, {MPI_LOR, "MPI_LOR"},       {MPI_BOR, "MPI_BOR"},
          {MPI_LXOR, "MPI_LXOR"}, {MPI_BXOR, "MPI_BXOR"}, {MPI_MAXLOC, "MPI_MAXLOC"}, {MPI_MINLOC, "MPI_MINLOC"}};
}

/// Properties of a block that must be equal on two ranks.
std::uint64_t data_of(const Blocks& blocks, int block, Matching by) {
  return by == Matching::by_type ? blocks.signature(block).value()
                                 : static_cast<std::uint64_t>(blocks.block(Place::send, block).bytes());
}

/// Hash of a message from \p from to \p to with these data. The sum over sent messages minus the sum over received
/// messages is zero if all messages match.
std::uint64_t message_hash(int from, int to, std::uint64_t data) {
  return Hash().add(static_cast<std::uint64_t>(from)).add(static_cast<std::uint64_t>(to)).add(data).value();
}

std::uint64_t layout_of(const Blocks& blocks) {
  Hash hash;
  for (const auto& type : blocks.types) {
    hash.add(type->layout_hash());
  }
  return hash.value();
}

/// Adds the layout of \p blocks. \p bytes: only their bytes matter.
void add_layout(Hash& hash, const Blocks& blocks, bool bytes) {
  const std::int64_t unit = bytes && !blocks.types.empty() ? blocks.type(0).size_bytes() : 1;
  if (bytes) {
    hash.add("bytes");
  } else {
    hash.add(layout_of(blocks));
  }
  hash.add(static_cast<std::uint64_t>(blocks.count * unit));
  for (const int count : blocks.counts) {
    hash.add(static_cast<std::uint64_t>(count * unit));
  }
  hash.add(blocks.counts.size()).add_all(blocks.offsets);
}

/// Bytes of all blocks; \p uniform is the number of blocks if they have one count.
std::int64_t total_bytes(const Blocks& blocks, int uniform) {
  const int n = blocks.uniform() ? uniform : static_cast<int>(blocks.counts.size());
  std::int64_t bytes = 0;
  for (int i = 0; i < n && !blocks.types.empty(); ++i) {
    bytes += blocks.block(Place::send, i).bytes();
  }
  return bytes;
}

}  // namespace

const char* name_of(Operation operation) {
  constexpr std::array names{
      "barrier",        "bcast",    "gather",    "gatherv",   "scatter", "scatterv",  "allgather",
      "allgatherv",     "alltoall", "alltoallv", "alltoallw", "reduce",  "allreduce", "reduce_scatter_block",
      "reduce_scatter", "scan",     "exscan"};
  return names.at(static_cast<std::size_t>(operation));
}

std::string name_of(MPI_Op op) {
  for (const OpName& entry : predefined_ops()) {
    if (entry.op == op) {
      return entry.name;
    }
  }
  return "an operation of the application";
}

Piece Blocks::block(Place place, int block) const {
  const mpi::Element& entry = type(block);
  if (uniform()) {
    return {place, &entry, block * static_cast<std::int64_t>(count) * entry.extent_bytes(), count};
  }
  const auto i = static_cast<std::size_t>(block);
  return {place, &entry, offsets[i], counts[i]};
}

SequenceHash Blocks::signature(int block) const {
  const Piece piece = this->block(Place::send, block);
  return piece.type->signature().repeated(piece.count);
}

bool Blocks::packed() const {
  return std::any_of(types.begin(), types.end(), [](const auto& entry) { return entry->packed(); });
}

bool CollectiveProblem::rooted() const noexcept {
  switch (operation) {
    case Operation::bcast:
    case Operation::gather:
    case Operation::gatherv:
    case Operation::scatter:
    case Operation::scatterv:
    case Operation::reduce:
      return true;
    default:
      return false;
  }
}

bool CollectiveProblem::runs_ahead() const {
  return size > 1 && (rooted() || operation == Operation::scan || operation == Operation::exscan);
}

bool CollectiveProblem::depends_on_order() const {
  return reduces() && size > 1 && mpi::order_matters(op, send.type(0).type(), size);
}

bool CollectiveProblem::moves_bytes() const {
  constexpr std::int64_t largest_entry = 16;  // of a basic datatype; codelets divide blocks between entries
  const auto fits = [](const auto& type) {
    return type->dense() && !type->packed() && type->size_bytes() <= largest_entry;
  };
  return !reduces() && send.types.size() <= 1 && receive.types.size() <= 1 && std::ranges::all_of(send.types, fits) &&
         std::ranges::all_of(receive.types, fits);
}

std::int64_t CollectiveProblem::block_bytes() const {
  std::int64_t bytes = 0;
  for (const Blocks* blocks : {&send, &receive}) {
    const auto n = std::max<std::size_t>(blocks->counts.size(), 1);
    for (std::size_t i = 0; i < n && !blocks->types.empty(); ++i) {
      bytes = std::max(bytes, blocks->block(Place::send, static_cast<int>(i)).bytes());
    }
  }
  return bytes;
}

std::uint64_t CollectiveProblem::balance(Matching by) const {
  std::uint64_t balance = 0;
  const auto sends = [&](int to, int block) { balance += message_hash(rank, to, data_of(send, block, by)); };
  const auto receives = [&](int from, int block) { balance -= message_hash(from, rank, data_of(receive, block, by)); };
  const bool own_stays = in_place && is_root();
  if (operation == Operation::gatherv) {
    if (!own_stays) {
      sends(root, 0);
    }
    for (int i = 0; is_root() && i < size; ++i) {
      if (i != rank || !own_stays) {
        receives(i, i);
      }
    }
  } else if (operation == Operation::scatterv) {
    if (!own_stays) {
      receives(root, 0);
    }
    for (int i = 0; is_root() && i < size; ++i) {
      if (i != rank || !own_stays) {
        sends(i, i);
      }
    }
  } else if (operation == Operation::alltoallv || operation == Operation::alltoallw) {
    for (int i = 0; i < size; ++i) {
      if (in_place) {
        balance += message_hash(rank, i, data_of(receive, i, by));
      } else {
        sends(i, i);
      }
      receives(i, i);
    }
  }
  return balance;
}

std::uint64_t CollectiveProblem::common(Matching by) const {
  Hash common;
  common.add(name_of(operation)).add(static_cast<std::uint64_t>(rooted() ? root : 0));
  if (reduces()) {
    common.add(name_of(op)).add(static_cast<std::uint64_t>(commutative));
  }
  if (!rooted()) {
    common.add(static_cast<std::uint64_t>(in_place));
  }
  switch (operation) {
    case Operation::gather:
      common.add(data_of(is_root() ? receive : send, 0, by));
      break;
    case Operation::scatter:
      common.add(data_of(is_root() ? send : receive, 0, by));
      break;
    case Operation::bcast:
    case Operation::allgather:
    case Operation::alltoall:
      common.add(data_of(receive, 0, by));
      break;
    case Operation::allgatherv:
      for (int i = 0; i < size; ++i) {
        common.add(data_of(receive, i, by));
      }
      break;
    case Operation::reduce:
    case Operation::allreduce:
    case Operation::reduce_scatter_block:
    case Operation::scan:
    case Operation::exscan:
      common.add(static_cast<std::uint64_t>(send.count)).add(send.signature(0).value());
      break;
    case Operation::reduce_scatter:
      common.add_all(send.counts).add(send.signature(0).value());
      break;
    default:
      break;
  }
  return common.value();
}

Statement CollectiveProblem::state() const {
  Hash cut;
  if (operation == Operation::bcast) {
    cut.add(static_cast<std::uint64_t>(receive.count));
  } else if (operation == Operation::allgatherv) {
    cut.add_all(receive.counts).add(static_cast<std::uint64_t>(receive.type(0).extent_bytes()));
    cut.add(static_cast<std::uint64_t>(send.types.empty() ? 0 : send.type(0).size_bytes()));
  }
  auto packed = Statement::Packed::nowhere;
  if (send.packed() || receive.packed()) {
    packed = packed_against_typed ? Statement::Packed::against_typed : Statement::Packed::somewhere;
  }
  return {common(Matching::by_type),
          ", the root, the reduction, MPI_IN_PLACE, or the counts and basic datatypes (with MPI_PACKED: the numbers of "
          "bytes)",
          cut.value(),
          {balance(Matching::by_type), balance(Matching::by_bytes)},
          operation == Operation::barrier && size == 1 ? 0 : 1,
          common(Matching::by_bytes),
          packed};
}

void CollectiveProblem::settle(const Settlement& settlement) {
  alike = settlement.alike;
  packed_against_typed = settlement.packed_against_typed;
  tag = settlement.first_tag;
}

void CollectiveProblem::verify(mpi::Context& /*context*/, const std::array<std::uint64_t, 2>& balances) const {
  if (packed_against_typed && balances[1] == 0) {
    return;
  }
  throw Error(
      Code::mismatch,
      "the counts or the basic datatypes of the ranks do not match: the data that a rank sends to another rank must "
      "match the data that this rank receives; with MPI_PACKED, the numbers of bytes must be equal");
}

void CollectiveProblem::identify(Hash& hash) const {
  hash.add(static_cast<std::uint64_t>(root)).add(static_cast<std::uint64_t>(in_place)).add(name_of(op));
  hash.add(static_cast<std::uint64_t>(commutative));
  const bool bytes = moves_bytes();
  for (const Blocks* blocks : {&send, &receive}) {
    add_layout(hash, *blocks, bytes);
  }
}

void CollectiveProblem::add_features(Features& features) const {
  const std::int64_t block = block_bytes();
  const bool to_each = operation == Operation::scatter || operation == Operation::alltoall ||
                       operation == Operation::reduce_scatter_block;
  features.push_back({"operation", std::string(name_of(operation)),
                      operation == Operation::barrier ? text(name_of(operation), " of ", size, " processes")
                                                      : text(name_of(operation), " of ", block, " bytes")});
  features.push_back({"block_bytes", static_cast<double>(block)});
  features.push_back({"bytes_out", static_cast<double>(total_bytes(send, to_each ? size : 1))});
  if (!send.types.empty() || !receive.types.empty()) {
    features.push_back({"datatype", moves_bytes() ? "bytes" : (send.types.empty() ? receive : send).type(0).name()});
  }
  if (reduces()) {
    features.push_back({"reduction", name_of(op), name_of(op)});
    features.push_back({"commutative", commutative ? 1.0 : 0.0});
  }
  if (rooted()) {
    features.push_back({"root", static_cast<double>(root), text("root ", root)});
  }
  if (in_place) {
    features.push_back({"in_place", 1.0, "in place"});
  }
}

}  // namespace adcl::codelets
