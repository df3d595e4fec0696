/// \file halo_problem.hpp
/// The neighborhood pattern from the point of view of one rank: the regions that it exchanges, and its neighbors.
/// Source: thesis sections 3.3 and 4.1; paper section II.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/machine.hpp"
#include "core/neighborhood.hpp"
#include "core/problem.hpp"
#include "core/region.hpp"

namespace adcl {

namespace mpi {
class Element;
}

/// Halo layers per dimension, on the sides of low and of high indices.
struct HaloWidths {
  std::vector<int> left;
  std::vector<int> right;
};

/// Grid points that are exchanged with each neighbor of a graph; one list per destination or source.
struct GraphPoints {
  std::vector<std::vector<int>> sends;
  std::vector<std::vector<int>> receives;
};

/// One side of an exchange: the array from which data are sent, or into which they are received.
struct HaloArray {
  Grid grid;
  HaloWidths widths;                      ///< empty for a graph
  const mpi::Element* element = nullptr;  ///< one grid point; owned by the vector
  /// Reason why processes of the same node cannot map the memory; empty: they can.
  std::string private_because =
      "the application allocated the array; ADCL_Vector_allocate allocates memory that can be shared";
};

/// One exchanged array, or a pair of a send array and a receive array. Most exchanges have one field. Several fields
/// share only their neighbors.
struct HaloField {
  HaloArray send;
  HaloArray receive;
  bool same_buffer = true;  ///< one array is both sent from and received into
};

/// The two sides of an exchange on one rank.
enum class Way { out, in };

/// One message of the exchange, or the part of a message that combines several transfers.
struct Transfer {
  int field = 0;  ///< index into HaloSetting::fields
  int peer = 0;
  int tag = 0;  ///< relative to HaloProblem::tag_base; (sender, receiver, tag) is unique and the same on both sides
  Direction direction;  ///< direction in which the data move; empty for a graph
  /// Position in an order of all links of the process graph that both ends know. Pairwise codelets process links by
  /// (phase, lower rank, higher rank), which excludes circular waits. Links with the same phase and ranks share a step.
  int phase = 0;
  Region region;
};

/// One step of a pairwise schedule: all transfers with one peer.
struct PairStep {
  int peer = 0;
  bool first = false;         ///< this rank is the lower rank: it sends before it receives
  bool self = false;          ///< the peer is this rank; sends[i] belongs to receives[i]
  std::vector<int> sends;     ///< indices into HaloProblem::sends, by tag
  std::vector<int> receives;  ///< indices into HaloProblem::receives, by tag
};

/// All properties of a halo exchange except its messages: the part that an exchange of some of the messages shares with
/// the whole exchange.
struct HaloSetting {
  Neighborhood neighborhood;
  std::vector<HaloField> fields = std::vector<HaloField>(1);

  int tag_base = 0;              ///< first tag of this request on its communicator
  int tag_span = 0;              ///< number of tags, the same on all ranks
  std::int64_t topology_id = 0;  ///< the same on all ranks of the communicator, unique per topology
  std::int64_t request_id = 0;   ///< the same on all ranks of the communicator, unique per request
  /// For each field, the send datatypes have the same memory layout on all ranks, and so have the receive datatypes.
  /// The ranks agree on this value.
  bool uniform_layout = true;
  const char* window_defect = nullptr;  ///< mpi::Context::window_defect()
  const Nodes* nodes = nullptr;         ///< Machine::nodes; null: all processes are on one node

  [[nodiscard]] bool several_fields() const noexcept { return fields.size() > 1; }
  /// Whether \p peer is on this rank's node.
  [[nodiscard]] bool is_near(int peer) const noexcept { return nodes == nullptr || nodes->contains(peer); }
  /// The array of \p transfer: its source or its destination.
  [[nodiscard]] const HaloArray& array(const Transfer& transfer, Way way) const {
    const HaloField& field = fields[static_cast<std::size_t>(transfer.field)];
    return way == Way::out ? field.send : field.receive;
  }
};

class HaloProblem : public Problem, public HaloSetting {
 public:
  explicit HaloProblem(const Machine* machine = nullptr) : Problem(machine) {
    nodes = machine != nullptr ? &machine->nodes : nullptr;
  }
  /// A problem without messages.
  explicit HaloProblem(const HaloSetting& setting) : HaloSetting(setting) {}

  std::vector<Transfer> sends;     ///< sorted by (peer, tag)
  std::vector<Transfer> receives;  ///< sorted by (peer, tag)

  [[nodiscard]] const std::vector<Transfer>& transfers(Way way) const noexcept {
    return way == Way::out ? sends : receives;
  }

  [[nodiscard]] Statement state() const override;
  void settle(const Settlement& settlement) override;
  void verify(mpi::Context& context, const std::array<std::uint64_t, 2>& balances) const override;

  /// Bytes of all messages that this rank sends.
  [[nodiscard]] std::int64_t bytes_out() const;
  /// Steps of a pairwise exchange in an order that excludes circular waits.
  [[nodiscard]] std::vector<PairStep> pair_schedule() const;

 protected:
  [[nodiscard]] const char* pattern() const override { return "neighborhood"; }
  void identify(Hash& hash) const override;
  void add_features(Features& features) const override;
};

/// Fills sends, receives and tag_span of \p problem from its neighborhood and its fields' grids and widths (all kinds
/// but graph). Throws Error(argument) if a halo is wider than the block that it is taken from, or if dimensions do not
/// match.
void build_halo(HaloProblem& problem);

/// Like build_halo(), for a graph; \p points has an entry for each field. Throws Error(argument) if counts do not match
/// the neighbors, or a point is outside the array, received twice, or sent and received through the same array.
void build_graph(HaloProblem& problem, const std::vector<GraphPoints>& points);

}  // namespace adcl
