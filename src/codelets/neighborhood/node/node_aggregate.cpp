// Combines messages between two nodes: the ranks of a node pass their data for another node to one rank of their node.
// This rank sends one message to a rank of the other node, which distributes the data. Messages within a node are sent
// directly.
// Source: Bienz, Gropp and Olson, "Node aware sparse matrix-vector multiplication", JPDC 130 (2019).
#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "codelets/neighborhood/blocking_plan.hpp"
#include "codelets/neighborhood/node/node_routes.hpp"
#include "codelets/neighborhood/packed_region.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "codelets/neighborhood/subproblem.hpp"
#include "codelets/neighborhood/two_sided/isend_irecv_aao.hpp"
#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

/// One region of this rank's array, and its offset in a route's pack buffer.
struct Part {
  PackedRegion region;
  std::size_t offset = 0;
};

/// This rank's part in the communication between its node and another node, in one direction. A rank that is not the
/// leader handles only its own data.
struct Route {
  int leader = 0;        ///< leader on this rank's node
  int other_leader = 0;  ///< leader on the other node
  int slot_tag = 0;      ///< tag of messages between the leader and the ranks of its node
  std::vector<std::byte> buffer;
  std::vector<Part> parts;  ///< parts of this rank
  struct Member {
    int rank = 0;
    mpi::Datatype type;  ///< the member's data in the leader's buffer
  };
  std::vector<Member> members;  ///< leader only: other ranks of the node with data
  int missing = 0;              ///< number of members whose data have not arrived in the current operation
};

mpi::Datatype bytes_type(const std::vector<const Piece*>& pieces) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> displacements;
  for (const Piece* piece : pieces) {
    lengths.push_back(static_cast<int>(piece->bytes));
    displacements.push_back(static_cast<MPI_Aint>(piece->offset));
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  mpi::check(
      MPI_Type_create_hindexed(static_cast<int>(pieces.size()), lengths.data(), displacements.data(), MPI_BYTE, &type),
      "MPI_Type_create_hindexed");
  mpi::Datatype owner(type);
  mpi::check(MPI_Type_commit(&type), "MPI_Type_commit");
  return owner;
}

/// Reserves tags of a communicator for the lifetime of a plan.
class Tags {
 public:
  Tags(mpi::Context& context, int span) : context_(context), first_(context.take_tags(span)), span_(span) {}
  Tags(const Tags&) = delete;
  Tags& operator=(const Tags&) = delete;
  ~Tags() { context_.give_back_tags(first_, span_); }
  [[nodiscard]] int first() const noexcept { return first_; }

 private:
  mpi::Context& context_;
  int first_;
  int span_;
};

class NodeAggregatePlan final : public BlockingPlan {
 public:
  NodeAggregatePlan(const HaloProblem& problem, mpi::Context& context, const Buffers& buffers)
      : nodes_(*problem.nodes), comm_(context.comm()), rank_(context.rank()), tags_(context, 2 * leader_slots(nodes_)) {
    std::optional<FarNodes> far;
    mpi::run_collectively(comm_, [&] { far.emplace(problem); });
    mpi::run_collectively(comm_, [&] { far->exchange_nodes(problem, comm_); });
    std::vector<Share> sent;
    std::vector<Share> received;
    mpi::run_collectively(comm_, [&] {
      sent = shares_of(problem, *far, true);
      received = shares_of(problem, *far, false);
    });
    const auto node_comm = mpi::create_collectively(comm_, [this] {
      MPI_Comm split = MPI_COMM_NULL;
      mpi::check(MPI_Comm_split(comm_, nodes_.own, rank_, &split), "MPI_Comm_split");
      return split;
    });
    mpi::run_collectively(comm_, [&] {
      const Bundles outgoing = gather_bundles(node_comm->get(), sent);
      const Bundles incoming = gather_bundles(node_comm->get(), received);
      for (const auto& [node, bundle] : outgoing) {
        add_route(problem, node, bundle, true);
      }
      for (const auto& [node, bundle] : incoming) {
        add_route(problem, node, bundle, false);
      }
      take_transfers(near_problem_, problem, [&](const Transfer& transfer) { return problem.is_near(transfer.peer); });
      near_.emplace(near_problem_, comm_, buffers);
    });
  }

  void start(const Buffers& buffers) override {
    receives_.clear();
    sends_.clear();
    routes_.clear();
    post_receives();
    near_->start(buffers);
    for (Route& route : outgoing_) {
      for (const Part& part : route.parts) {
        part.region.pack(buffers, route.buffer.data() + part.offset);
      }
      if (route.leader != rank_) {
        send(route.buffer.data(), static_cast<int>(route.buffer.size()), MPI_BYTE, route.leader, route.slot_tag);
      } else if (route.missing == 0) {
        send_bundle(route);
      }
    }
    for (std::size_t n = 0; n < receives_.size(); ++n) {
      int i = MPI_UNDEFINED;
      mpi::check(MPI_Waitany(static_cast<int>(receives_.size()), receives_.data(), &i, MPI_STATUS_IGNORE),
                 "MPI_Waitany");
      arrived(*routes_[static_cast<std::size_t>(i)], buffers);
    }
    near_->wait();
    mpi::check(MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

 private:
  [[nodiscard]] std::vector<Share> shares_of(const HaloProblem& problem, const FarNodes& far, bool outgoing) const {
    std::vector<Share> shares;
    const Way way = outgoing ? Way::out : Way::in;
    for (const Transfer& transfer : problem.transfers(way)) {
      if (!problem.is_near(transfer.peer)) {
        shares.push_back({{outgoing ? transfer.peer : rank_, outgoing ? rank_ : transfer.peer, transfer.tag,
                           bytes_of(problem, transfer, way), 0},
                          far.of(transfer.peer)});
      }
    }
    return shares;
  }

  /// The region of this rank that corresponds to \p piece.
  [[nodiscard]] static PackedRegion region_of(const HaloProblem& problem, const Piece& piece, bool outgoing) {
    const Way way = outgoing ? Way::out : Way::in;
    const auto& transfers = problem.transfers(way);
    const int peer = outgoing ? piece.receiver : piece.sender;
    const auto transfer = std::find_if(transfers.begin(), transfers.end(), [&](const Transfer& candidate) {
      return candidate.peer == peer && candidate.tag == piece.tag;
    });
    return {problem, *transfer, way};
  }

  void add_route(const HaloProblem& problem, int node, const Bundle& bundle, bool outgoing) {
    require(bundle_bytes(bundle) <= std::numeric_limits<int>::max(), Code::unsupported,
            "the messages between two nodes have ", bundle_bytes(bundle),
            " bytes in total; a single message can have at most ", std::numeric_limits<int>::max());
    Route route;
    route.leader = leader_for(nodes_, node);
    route.other_leader = bundle.far_leader;
    route.slot_tag = tags_.first() + leader_slot(nodes_, node) + (outgoing ? 0 : leader_slots(nodes_));
    std::size_t own_bytes = 0;
    std::map<int, std::vector<const Piece*>> by_member;
    for (const Piece& piece : bundle.pieces) {
      const int member = outgoing ? piece.sender : piece.receiver;
      if (member == rank_) {
        // The leader packs directly into the bundle; other ranks pack their parts contiguously.
        const auto offset = route.leader == rank_ ? static_cast<std::size_t>(piece.offset) : own_bytes;
        route.parts.push_back({region_of(problem, piece, outgoing), offset});
        own_bytes += static_cast<std::size_t>(piece.bytes);
      } else {
        by_member[member].push_back(&piece);
      }
    }
    if (route.leader == rank_) {
      for (const auto& [member, pieces] : by_member) {
        route.members.push_back({member, bytes_type(pieces)});
      }
      route.buffer.resize(static_cast<std::size_t>(bundle_bytes(bundle)));
      route.buffer.reserve(1);  // SMPI rejects a null address even for an empty message.
    } else if (!route.parts.empty()) {
      route.buffer.resize(own_bytes);
    } else {
      return;
    }
    (outgoing ? outgoing_ : incoming_).push_back(std::move(route));
  }

  void post_receives() {
    for (Route& route : incoming_) {
      const bool leads = route.leader == rank_;
      receive(route, route.buffer.data(), static_cast<int>(route.buffer.size()), MPI_BYTE,
              leads ? route.other_leader : route.leader, leads ? tags_.first() : route.slot_tag);
    }
    for (Route& route : outgoing_) {
      route.missing = static_cast<int>(route.members.size());
      for (const Route::Member& member : route.members) {
        receive(route, route.buffer.data(), 1, member.type.get(), member.rank, route.slot_tag);
      }
    }
  }

  /// Handles an arrival on \p route: a member's data for an outgoing bundle, or this rank's data of an incoming bundle.
  void arrived(Route& route, const Buffers& buffers) {
    if (route.missing > 0) {
      if (--route.missing == 0) {
        send_bundle(route);
      }
      return;
    }
    for (const Route::Member& member : route.members) {
      send(route.buffer.data(), 1, member.type.get(), member.rank, route.slot_tag);
    }
    for (const Part& part : route.parts) {
      part.region.unpack(route.buffer.data() + part.offset, buffers);
    }
  }

  /// Two nodes exchange one message per direction and operation, so one tag is sufficient.
  void send_bundle(Route& route) {
    send(route.buffer.data(), static_cast<int>(route.buffer.size()), MPI_BYTE, route.other_leader, tags_.first());
  }

  void send(const void* address, int count, MPI_Datatype type, int peer, int tag) {
    mpi::check(MPI_Isend(address, count, type, peer, tag, comm_, &sends_.emplace_back(MPI_REQUEST_NULL)), "MPI_Isend");
  }

  void receive(Route& route, void* address, int count, MPI_Datatype type, int peer, int tag) {
    mpi::check(MPI_Irecv(address, count, type, peer, tag, comm_, &receives_.emplace_back(MPI_REQUEST_NULL)),
               "MPI_Irecv");
    routes_.push_back(&route);
  }

  const Nodes& nodes_;
  MPI_Comm comm_;
  int rank_;
  Tags tags_;
  std::vector<Route> outgoing_;
  std::vector<Route> incoming_;
  HaloProblem near_problem_;
  std::optional<IsendIrecvAao<PackedMessages>> near_;
  std::vector<MPI_Request> receives_;
  std::vector<Route*> routes_;  ///< route of each entry of receives_
  std::vector<MPI_Request> sends_;
};

std::optional<std::string> applicable(const Problem& problem) {
  const HaloProblem& exchange = halo(problem);
  // The number of nodes and the size of the communicator are the same on all ranks, and so is the result.
  const int nodes = exchange.nodes != nullptr ? exchange.nodes->count : 1;
  if (nodes < 2) {
    return "all processes are on one node";
  }
  if (nodes == exchange.neighborhood.size) {
    return "every process is on a different node: there are no messages to combine";
  }
  if (auto reason = PackedRegion::applicable(exchange)) {
    return reason;
  }
  return PackedMessages::applicable(exchange);
}

/// Estimate: a leader sends the data of its node, and all ranks have about the same amount of data.
std::size_t bytes(const Problem& problem) { return 2 * PackedMessages::bytes(halo(problem)); }

}  // namespace

Rows node_aggregate() {
  return {
      {.name = "Node_aggregate",
       .attributes =
           attributes(Partners::node_leaders, NonContiguous::pack, Primitive::isend_irecv, Completion::waitany),
       .capabilities = {.collective_plan = true, .touches_data = true},
       .requirements =
           "several nodes, and several processes on at least one of them; datatypes of the same memory layout",
       .source = "Bienz, Gropp and Olson, Node aware sparse matrix-vector multiplication, JPDC 130, 2019",
       .algorithm = {applicable, bytes,
                     [](const Problem& problem, mpi::Context& context, const Buffers& buffers) -> PlanPointer {
                       return std::make_unique<NodeAggregatePlan>(halo(problem), context, buffers);
                     }},
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
