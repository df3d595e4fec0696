#include "interpose/link_path.hpp"

#include <algorithm>
#include <limits>

#include "core/address.hpp"
#include "core/error.hpp"
#include "mpi/check.hpp"

namespace adcl::interpose {
namespace {

bool is_valid(const BlockList& list, int blocks) {
  if (blocks == 0 || list.in_place()) {
    return true;
  }
  if (!list.counts.present() || !list.types.present() ||
      (list.place != BlockList::Place::consecutive && !list.displacements.present())) {
    return false;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(blocks); ++i) {
    const std::int64_t count = list.counts[i];
    if (count < 0 || (count > 0 && list.types[i] == MPI_DATATYPE_NULL)) {
      return false;
    }
  }
  return true;
}

/// Exchanges the numbers of blocks with the MPI library's call for \p operation.
void exchange_numbers(Operation operation, const std::vector<int>& numbers, std::vector<int>& received, MPI_Comm comm) {
  const auto ones = [](std::size_t n) { return std::vector<int>(n, 1); };
  const auto places = [](std::size_t n, int unit) {
    std::vector<int> all(n);
    for (std::size_t i = 0; i < n; ++i) {
      all[i] = static_cast<int>(i) * unit;
    }
    return all;
  };
  // The lists have one more element than necessary, because some MPI libraries reject the null pointer of an empty
  // vector.
  const std::size_t out = numbers.size() + 1;
  const std::size_t in = received.size() + 1;
  std::vector<int> from(numbers);
  from.push_back(0);
  std::vector<int> into(in, -1);
  if (operation == Operation::alltoallv) {
    mpi::check(MPI_Neighbor_alltoallv(from.data(), ones(out).data(), places(out, 1).data(), MPI_INT, into.data(),
                                      ones(in).data(), places(in, 1).data(), MPI_INT, comm),
               "MPI_Neighbor_alltoallv");
  } else if (operation == Operation::alltoallw) {
    const auto sent = places(out, sizeof(int));
    const auto placed = places(in, sizeof(int));
    mpi::check(
        MPI_Neighbor_alltoallw(from.data(), ones(out).data(), std::vector<MPI_Aint>(sent.begin(), sent.end()).data(),
                               std::vector<MPI_Datatype>(out, MPI_INT).data(), into.data(), ones(in).data(),
                               std::vector<MPI_Aint>(placed.begin(), placed.end()).data(),
                               std::vector<MPI_Datatype>(in, MPI_INT).data(), comm),
        "MPI_Neighbor_alltoallw");
  } else {
    mpi::check(MPI_Neighbor_alltoall(from.data(), 1, MPI_INT, into.data(), 1, MPI_INT, comm), "MPI_Neighbor_alltoall");
  }
  std::copy_n(into.begin(), received.size(), received.begin());
}

/// The neighbors of a communicator with a topology, in the order of the blocks.
void find_neighbors(MPI_Comm comm, Links& links) {
  int topology = MPI_UNDEFINED;
  mpi::check(MPI_Topo_test(comm, &topology), "MPI_Topo_test");
  const auto out = static_cast<int>(links.destinations.size());
  const auto in = static_cast<int>(links.sources.size());
  if (topology == MPI_DIST_GRAPH) {
    std::vector<int> weights(static_cast<std::size_t>(std::max({in, out, 1})));
    std::vector<int> more_weights(weights.size());
    mpi::check(MPI_Dist_graph_neighbors(comm, in, links.sources.data(), weights.data(), out, links.destinations.data(),
                                        more_weights.data()),
               "MPI_Dist_graph_neighbors");
    return;
  }
  if (topology == MPI_GRAPH) {
    int rank = 0;
    mpi::check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    mpi::check(MPI_Graph_neighbors(comm, rank, out, links.destinations.data()), "MPI_Graph_neighbors");
  } else {
    for (int i = 0; i < out; i += 2) {
      const auto first = links.destinations.begin() + i;
      mpi::check(MPI_Cart_shift(comm, i / 2, 1, &first[0], &first[1]), "MPI_Cart_shift");
    }
  }
  links.sources = links.destinations;
}

}  // namespace

bool is_valid(const CollectiveCall& call, Place place, BlockNumbers numbers) {
  const BlockLists& lists = *call.blocks;
  const bool may_send_in_place = !call.neighborhood && call.operation != Operation::scatterv &&
                                 (call.operation != Operation::gatherv || call.root == place.rank);
  const bool may_receive_in_place = call.operation == Operation::scatterv && call.root == place.rank;
  return (may_send_in_place || !lists.send.in_place()) && (may_receive_in_place || !lists.receive.in_place()) &&
         is_valid(lists.send, numbers.sent) && is_valid(lists.receive, numbers.received);
}

Links links_of(const Key& key, Place place, MPI_Comm comm, BlockNumbers numbers) {
  Links links;
  links.destinations.resize(static_cast<std::size_t>(numbers.sent));
  links.sources.resize(static_cast<std::size_t>(numbers.received));
  links.numbers.assign(links.sources.size(), 0);
  const auto all_ranks = [](std::vector<int>& ranks) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      ranks[i] = static_cast<int>(i);
    }
  };
  if (key.neighborhood) {
    find_neighbors(comm, links);
    std::vector<int> sent(links.destinations.size());
    all_ranks(sent);
    exchange_numbers(key.operation, sent, links.numbers, comm);
    for (std::size_t i = 0; i < links.sources.size(); ++i) {
      require(links.sources[i] == MPI_PROC_NULL || links.numbers[i] >= 0, Code::mpi,
              "the MPI library's neighborhood collective loses blocks");
    }
  } else if (key.operation == Operation::gatherv) {
    std::ranges::fill(links.destinations, key.root);
    all_ranks(links.sources);
  } else if (key.operation == Operation::scatterv) {
    all_ranks(links.destinations);
    std::ranges::fill(links.sources, key.root);
    std::ranges::fill(links.numbers, place.rank);
  } else {
    all_ranks(links.destinations);
    all_ranks(links.sources);
    std::ranges::fill(links.numbers, place.rank);
  }
  return links;
}

LinkPath::LinkPath(const Key& key, const std::shared_ptr<mpi::Context>& context, const Links& links)
    : key_(key),
      context_(context),
      exchange_(*context, links),
      sent_(links.destinations.size()),
      received_(links.sources.size()) {
  exchange_.use(transport());
}

const TypeShape& LinkPath::shape(MPI_Datatype type) {
  if (type != known_.type) {
    const auto found = shape_of(type);
    require(found.has_value(), Code::type, "a datatype is invalid");
    known_ = {type, *found};
  }
  return known_.shape;
}

void LinkPath::describe(const BlockList& list, std::vector<Block>& blocks) {
  std::int64_t before = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& block = blocks[i];
    block.count = list.counts[i];
    if (block.count == 0) {
      block.bytes = 0;
      continue;
    }
    block.type = list.types[i];
    const TypeShape& of_type = shape(block.type);
    block.bytes = block.count * of_type.bytes;
    block.dense = of_type.dense;
    std::int64_t offset = before;
    if (list.place == BlockList::Place::consecutive) {
      before += block.count * of_type.extent;
    } else {
      offset = list.displacements[i] * (list.place == BlockList::Place::bytes ? 1 : of_type.extent);
    }
    block.address = address(static_cast<std::byte*>(const_cast<void*>(list.buffer)), offset);
  }
}

/// The blocks of an all-to-all are replaced while others are sent, so they are copied. An allgather replaces only
/// blocks of other ranks. This rank's own block is already in its place.
void LinkPath::send_from_receive_buffer(const CollectiveCall& call) {
  const auto rank = static_cast<std::size_t>(context_->rank());
  if (call.operation == Operation::gatherv) {
    std::ranges::fill(sent_, Block{});
    received_[rank].bytes = 0;
    return;
  }
  if (call.operation == Operation::allgatherv) {
    std::ranges::fill(sent_, received_[rank]);
    received_[rank].bytes = 0;
    return;
  }
  received_[rank].bytes = 0;
  std::int64_t bytes = 0;
  for (const Block& block : received_) {
    bytes += block.bytes;
  }
  copies_.resize(std::max(copies_.size(), static_cast<std::size_t>(bytes)));
  std::byte* into = copies_.data();
  for (std::size_t i = 0; i < received_.size(); ++i) {
    const Block& block = received_[i];
    sent_[i] = {into, block.bytes, MPI_PACKED, block.bytes, true};
    if (block.bytes > 0) {
      exchange_.copy(block, sent_[i]);
    }
    into += block.bytes;
  }
}

void LinkPath::run(const CollectiveCall& call) {
  const BlockLists& lists = *call.blocks;
  if (!known_.shape.named) {
    known_ = {};  // the program may have freed the datatype, and MPI reuses its handle
  }
  if (!received_.empty()) {
    if (lists.receive.in_place()) {
      std::ranges::fill(received_, Block{});
    } else {
      describe(lists.receive, received_);
    }
  }
  if (!sent_.empty()) {
    if (lists.send.in_place()) {
      send_from_receive_buffer(call);
    } else {
      describe(lists.send, sent_);
    }
  }
  exchange_.run(sent_, received_);
}

bool LinkPath::fix(const std::string& name) {
  const auto& all = LinkExchange::transports();
  const auto found = std::ranges::find_if(all, [&](const Transport& one) { return one.name == name; });
  if (found == all.end()) {
    return false;
  }
  current_ = static_cast<std::size_t>(found - all.begin());
  decided_ = true;
  exchange_.use(transport());
  return true;
}

/// Compares all transports once, and then the best one again.
bool LinkPath::change_after(double speedup) {
  if (decided_) {
    return false;
  }
  const std::size_t before = current_;
  speedups_.push_back(speedup);
  decided_ = speedups_.size() == LinkExchange::transports().size();
  current_ =
      decided_ ? static_cast<std::size_t>(std::ranges::max_element(speedups_) - speedups_.begin()) : speedups_.size();
  exchange_.use(transport());
  return current_ != before;
}

}  // namespace adcl::interpose
