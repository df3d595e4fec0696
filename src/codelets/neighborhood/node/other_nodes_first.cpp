// Starts all messages at once, in descending order of latency: messages to other nodes are sent first, so that the
// network is busy while messages within the node are copied. Messages from this node arrive first and are completed
// first.
// Source: Keller, Gabriel, Krammer, Mueller and Resch 2003 (paper, reference 11), topology-aware communication.
#include <algorithm>
#include <vector>

#include "codelets/neighborhood/messages.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "mpi/check.hpp"

namespace adcl::codelets {
namespace {

constexpr auto distances = "several nodes, and several processes on at least one of them";
constexpr auto keller = "Keller, Gabriel, Krammer, Mueller and Resch 2003 (paper reference 11)";

/// Reason why node-aware ordering does not benefit the problem, or nothing. The same on all ranks.
std::optional<std::string> without_distances(const HaloProblem& problem) {
  // The number of nodes and the size of the communicator are the same on all ranks, and so is the result.
  const int nodes = problem.nodes != nullptr ? problem.nodes->count : 1;
  if (nodes <= 1) {
    return "all processes are on one node";
  }
  if (nodes == problem.neighborhood.size) {
    return "each process is on a different node";
  }
  return std::nullopt;
}

template <typename Messages>
class OtherNodesFirst final : public Plan {
 public:
  OtherNodesFirst(const HaloProblem& problem, MPI_Comm comm, const Buffers& buffers)
      : messages_(problem, buffers),
        comm_(comm),
        requests_(messages_.receives() + messages_.sends(), MPI_REQUEST_NULL) {
    const auto is_near = [&problem](const Transfer& transfer) { return problem.is_near(transfer.peer); };
    for (std::size_t j = 0; j < messages_.receives(); ++j) {
      receive_order_.push_back(j);
    }
    const auto first_far = std::stable_partition(receive_order_.begin(), receive_order_.end(),
                                                 [&](std::size_t j) { return is_near(problem.receives[j]); });
    taken_ = messages_.receives();
    near_receives_ = static_cast<std::size_t>(first_far - receive_order_.begin());
    send_order_ = messages_.send_order();
    std::stable_partition(send_order_.begin(), send_order_.end(),
                          [&](std::size_t i) { return !is_near(problem.sends[i]); });
  }

  static std::optional<std::string> objection(const HaloProblem& problem) { return without_distances(problem); }

  void start(const Buffers& buffers) override {
    buffers_ = buffers;
    MPI_Request* request = requests_.data();
    for (const std::size_t j : receive_order_) {
      const Message in = messages_.incoming(j, buffers);
      mpi::check(MPI_Irecv(in.address, in.count, in.type, in.peer, in.tag, comm_, request++), "MPI_Irecv");
    }
    for (const std::size_t i : send_order_) {
      const Message out = messages_.outgoing(i, buffers);
      mpi::check(MPI_Isend(out.address, out.count, out.type, out.peer, out.tag, comm_, request++), "MPI_Isend");
    }
    taken_ = 0;
  }

  bool test() override {
    int done = 0;
    mpi::check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
               "MPI_Testall");
    if (done != 0) {
      take(receive_order_.size());
    }
    return done != 0;
  }

  void wait() override {
    complete(0, near_receives_);
    take(near_receives_);
    complete(near_receives_, requests_.size());
    take(receive_order_.size());
  }

 private:
  void complete(std::size_t begin, std::size_t end) {
    mpi::check(MPI_Waitall(static_cast<int>(end - begin), requests_.data() + begin, MPI_STATUSES_IGNORE),
               "MPI_Waitall");
  }

  /// Handles completed receives up to position \p end.
  void take(std::size_t end) {
    for (; taken_ < end; ++taken_) {
      messages_.arrived(receive_order_[taken_], buffers_);
    }
  }

  Messages messages_;
  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;  ///< first in receive_order_, then in send_order_
  std::vector<std::size_t> receive_order_;
  std::vector<std::size_t> send_order_;
  std::size_t near_receives_ = 0;
  std::size_t taken_ = 0;  ///< number of receives of this operation that were handled
  Buffers buffers_;
};

}  // namespace

Rows other_nodes_first() {
  return {
      {.name = "Node_first",
       .attributes = attributes(Partners::node_first, NonContiguous::ddt, Primitive::isend_irecv, Completion::waitall),
       .capabilities = {.nonblocking = true},
       .requirements = distances,
       .source = keller,
       .algorithm = message_algorithm<OtherNodesFirst, DatatypeMessages>(),
       .expectation = growth::flat},
      {.name = "Node_first_pack",
       .attributes = attributes(Partners::node_first, NonContiguous::pack, Primitive::isend_irecv, Completion::waitall),
       .capabilities = {.nonblocking = true, .touches_data = true},
       .requirements = distances,
       .source = keller,
       .algorithm = message_algorithm<OtherNodesFirst, PackedMessages>(),
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
