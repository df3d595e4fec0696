// Contents of the ranks' arrays before and after a random collective.
#include <algorithm>
#include <cstring>

#include "support/collective_model.hpp"

namespace adcl::test {

using codelets::Operation;

Values CollectiveModel::contribution(int from, int to, int round) const {
  if (is({Operation::bcast, Operation::gather, Operation::gatherv, Operation::allgather, Operation::allgatherv})) {
    to = 0;
  }
  const bool blocks = is({Operation::reduce_scatter, Operation::reduce_scatter_block});
  const int ints = reduces() ? ints_[0][static_cast<std::size_t>(blocks ? to : 0)]
                             : ints_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  Values values(static_cast<std::size_t>(ints));
  std::uint64_t state = mixed(static_cast<std::uint64_t>(from) * 1000003 + static_cast<std::uint64_t>(to) * 10007 +
                              static_cast<std::uint64_t>(round) * 7);
  for (auto& value : values) {
    state = mixed(state);
    // 31 bits: MPICH 4.0.2 treats unsigned integers as signed in MPI_MAX.
    value = static_cast<std::uint32_t>(state >> 33U);
  }
  return values;
}

Values CollectiveModel::combined(int first, int last, int to, int round) const {
  Values result = contribution(first, to, round);
  for (int rank = first + 1; rank < last; ++rank) {
    Values next = contribution(rank, to, round);
    reduce_into(reduction_, result, next);
    result = std::move(next);
  }
  return result;
}

void CollectiveModel::put(std::vector<std::byte>& array, const Block& block, const Values& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::memcpy(array.data() + guard_bytes + block.offset + block.kind.place(static_cast<std::int64_t>(i)), &values[i],
                sizeof(std::uint32_t));
  }
}

Values CollectiveModel::sent(int rank, int block, int round) const { return contribution(rank, block, round); }

void CollectiveModel::fill(int rank, int round, std::vector<std::byte>& send, std::vector<std::byte>& receive) const {
  const auto r = static_cast<std::size_t>(rank);
  const bool sends_out = sends(rank) && !in_place_on(rank);
  const auto blank = [round](std::vector<std::byte>& array, int salt) {
    for (std::size_t i = 0; i < array.size(); ++i) {
      array[i] = static_cast<std::byte>(i * 31 + static_cast<std::size_t>(round + salt) * 17);
    }
  };
  const bool scatter_in_place = in_place_on(rank) && is({Operation::scatter, Operation::scatterv});
  send.assign(sends_out || scatter_in_place ? sends_[r].bytes() : 0, {});
  // In place, the receive array must also hold the input of a reduction.
  const bool input_in_receive = in_place_on(rank) && reduces();
  receive.assign(receives(rank) && !scatter_in_place
                     ? std::max(receives_[r].bytes(), input_in_receive ? sends_[r].bytes() : 0)
                     : 0,
                 {});
  blank(send, 1);
  blank(receive, 2);
  for (std::size_t b = 0; b < sends_[r].blocks.size() && !send.empty(); ++b) {
    put(send, sends_[r].blocks[b], sent(rank, static_cast<int>(b), round));
  }
  if (operation_ == Operation::bcast && rank == root_) {
    put(receive, receives_[r].blocks[0], contribution(root_, 0, round));
  }
  if (!in_place_on(rank) || scatter_in_place) {
    return;
  }
  if (reduces()) {
    for (std::size_t b = 0; b < sends_[r].blocks.size(); ++b) {
      put(receive, sends_[r].blocks[b], sent(rank, static_cast<int>(b), round));
    }
  } else if (is({Operation::alltoall, Operation::alltoallv, Operation::alltoallw})) {
    for (std::size_t b = 0; b < receives_[r].blocks.size(); ++b) {
      put(receive, receives_[r].blocks[b], sent(rank, static_cast<int>(b), round));
    }
  } else {
    put(receive, receives_[r].blocks[r], contribution(rank, 0, round));
  }
}

void CollectiveModel::complete(int rank, int round, std::vector<std::byte>& receive) const {
  const auto r = static_cast<std::size_t>(rank);
  if (receive.empty()) {
    return;
  }
  const std::vector<Block>& blocks = receives_[r].blocks;
  switch (operation_) {
    case Operation::bcast:
      put(receive, blocks[0], contribution(root_, 0, round));
      break;
    case Operation::scatter:
    case Operation::scatterv:
      put(receive, blocks[0], contribution(root_, rank, round));
      break;
    case Operation::reduce:
    case Operation::allreduce:
      put(receive, blocks[0], combined(0, ranks_, 0, round));
      break;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      put(receive, blocks[0], combined(0, ranks_, rank, round));
      break;
    case Operation::scan:
      put(receive, blocks[0], combined(0, rank + 1, 0, round));
      break;
    case Operation::exscan:
      if (rank > 0) {
        put(receive, blocks[0], combined(0, rank, 0, round));
      }
      break;
    default:
      for (int from = 0; from < ranks_; ++from) {
        put(receive, blocks[static_cast<std::size_t>(from)], contribution(from, rank, round));
      }
      break;
  }
}

}  // namespace adcl::test
