#include "interpose/link_exchange.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/check.hpp"
#include "mpi/together.hpp"

namespace adcl::interpose {
namespace {

using codelets::SharedEnds;
using codelets::SharedLink;

/// Limit on the shared memory for the messages that a rank sends.
constexpr std::size_t most_bytes = std::size_t{8} << 20U;

/// One tag for messages between ranks, because both ends of a link post them in the same order, and one for messages of
/// a rank to itself.
constexpr int tags = 2;

std::size_t memory_of(std::size_t bytes) { return SharedLink::memory_bytes(bytes, 1, SharedLink::slots_ahead(bytes)); }

}  // namespace

std::span<const Transport> LinkExchange::transports() {
  static constexpr std::array all{Transport{"Slots_64k", 3}, Transport{"Slots_4k", 2}, Transport{"Messages", 0}};
  return all;
}

LinkExchange::LinkExchange(mpi::Context& context, const Links& links)
    : comm_(context.comm()),
      tag_(context.take_tags(tags)),
      rank_(context.rank()),
      packing_(comm_, rank_, tag_ + 1),
      backoff_(context.comm()) {
  const Nodes& nodes = context.machine().nodes;
  mpi::run_collectively(comm_, [&] {
    add_links(links, nodes, context.size());
    const auto most = static_cast<int>(class_bytes.size());
    available_ = static_cast<std::size_t>(most - mpi::maximum(comm_, most - static_cast<int>(affordable_classes())));
  });
  segment_.emplace(comm_, tag_, [&] { return ends(); });
  connect();
}

/// Links begin with the next rank, so that not all ranks send to the same rank first. Links between the same two ranks
/// stay in the order in which the source numbers them.
void LinkExchange::add_links(const Links& links, const Nodes& nodes, int size) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < links.sources.size(); ++i) {
    if (links.sources[i] != MPI_PROC_NULL) {
      order.push_back(i);
    }
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return links.numbers[i]; });
  for (const std::size_t i : order) {
    const int peer = links.sources[i];
    if (peer == rank_) {
      own_.push_back({static_cast<std::size_t>(links.numbers[i]), i});
    } else {
      in_.push_back({i, peer, nodes.contains(peer)});
    }
  }
  for (std::size_t i = 0; i < links.destinations.size(); ++i) {
    const int peer = links.destinations[i];
    if (peer != rank_ && peer != MPI_PROC_NULL) {
      out_.push_back({i, peer, nodes.contains(peer)});
    }
  }
  std::ranges::stable_sort(out_, {}, [&](const Link& link) { return (link.peer - rank_ + size) % size; });
  std::ranges::stable_sort(in_, {}, [&](const Link& link) { return (rank_ - link.peer + size) % size; });
  requests_.resize(in_.size() + out_.size(), MPI_REQUEST_NULL);
}

/// The number of classes, smallest first, whose slots fit into the memory of this rank.
std::size_t LinkExchange::affordable_classes() const {
  const auto near = static_cast<std::size_t>(std::ranges::count(out_, true, &Link::near));
  std::size_t bytes = 0;
  std::size_t classes = 0;
  while (classes < class_bytes.size() && bytes + near * memory_of(class_bytes[classes]) <= most_bytes) {
    bytes += near * memory_of(class_bytes[classes++]);
  }
  return classes;
}

SharedEnds LinkExchange::ends() const {
  SharedEnds result;
  for (const Link& link : out_) {
    for (std::size_t i = 0; link.near && i < available_; ++i) {
      result.sends.push_back({link.peer, 0});
      result.offsets.push_back(result.bytes);
      result.bytes += memory_of(class_bytes[i]);
    }
  }
  for (const Link& link : in_) {
    for (std::size_t i = 0; link.near && i < available_; ++i) {
      result.receives.push_back({link.peer, 0});
    }
  }
  return result;
}

void LinkExchange::connect() {
  const auto link = [](std::byte* memory, std::size_t bytes) {
    return SharedLink(memory, memory + SharedLink::line_bytes, bytes);
  };
  std::size_t end = 0;
  for (Link& out : out_) {
    for (std::size_t i = 0; out.near && i < available_; ++i) {
      out.slots[i].link = link(segment_->outgoing(end++), class_bytes[i]);
    }
  }
  end = 0;
  for (Link& in : in_) {
    for (std::size_t i = 0; in.near && i < available_; ++i) {
      in.slots[i].link = link(segment_->incoming(end++), class_bytes[i]);
    }
  }
}

LinkExchange::Slots* LinkExchange::slots_for(Link& link, std::int64_t bytes) const noexcept {
  for (std::size_t i = 0; link.near && i < classes_; ++i) {
    if (bytes <= static_cast<std::int64_t>(class_bytes[i])) {
      return &link.slots[i];
    }
  }
  return nullptr;
}

/// Waits for \p condition. Lets MPI make progress while messages are posted.
template <typename Condition>
void LinkExchange::await(const Condition& condition) {
  if (condition()) {
    return;
  }
  constexpr unsigned pauses_per_progress = 64;
  unsigned pauses = 0;
  backoff_.begin();
  while (!condition()) {
    backoff_.pause();
    if (posted_ > 0 && ++pauses % pauses_per_progress == 0) {
      codelets::drive_mpi(comm_);
    }
  }
  backoff_.end();
}

MPI_Request& LinkExchange::next_request() { return requests_[posted_++]; }

void LinkExchange::send(Link& link, const Block& block) {
  Slots* const slots = slots_for(link, block.bytes);
  if (slots == nullptr) {
    mpi::check(post_send(block, link.peer, tag_, comm_, &next_request()), "MPI_Isend");
    return;
  }
  const std::uint64_t message = ++slots->messages;
  await([&] { return slots->link.free(message); });
  packing_.pack(block, slots->link.outgoing(message));
  slots->link.publish(message);
}

void LinkExchange::receive(Link& link, const Block& block) {
  Slots* const slots = slots_for(link, block.bytes);
  if (slots == nullptr) {
    return;  // posted at the beginning
  }
  const std::uint64_t message = ++slots->messages;
  await([&] { return slots->link.arrived(message); });
  packing_.unpack(slots->link.incoming(message), block);
  slots->link.release(message);
}

void LinkExchange::copy(const Block& from, const Block& to) {
  constexpr std::int64_t most_scratch = 1 << 16U;
  if (from.dense && to.dense) {
    std::memcpy(to.address, from.address, static_cast<std::size_t>(from.bytes));
  } else if (from.bytes > most_scratch) {
    packing_.send_to_self(from, to);
  } else if (from.dense) {
    packing_.unpack(from.address, to);
  } else if (to.dense) {
    packing_.pack(from, to.address);
  } else {
    scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(from.bytes)));
    packing_.pack(from, scratch_.data());
    packing_.unpack(scratch_.data(), to);
  }
}

void LinkExchange::run(std::span<const Block> sent, std::span<const Block> received) {
  posted_ = 0;
  for (Link& link : in_) {
    const Block& block = received[link.block];
    if (block.bytes > 0 && slots_for(link, block.bytes) == nullptr) {
      mpi::check(post_receive(block, link.peer, tag_, comm_, &next_request()), "MPI_Irecv");
    }
  }
  for (Link& link : out_) {
    if (const Block& block = sent[link.block]; block.bytes > 0) {
      send(link, block);
    }
  }
  for (const Own& own : own_) {
    if (const Block& block = sent[own.sent]; block.bytes > 0 && received[own.received].bytes > 0) {
      copy(block, received[own.received]);
    }
  }
  for (Link& link : in_) {
    if (const Block& block = received[link.block]; block.bytes > 0) {
      receive(link, block);
    }
  }
  if (posted_ > 0) {
    mpi::check(MPI_Waitall(static_cast<int>(posted_), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }
}

}  // namespace adcl::interpose
