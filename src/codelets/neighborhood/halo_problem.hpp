/// \file halo_problem.hpp
/// The neighborhood pattern from the point of view of one rank: which regions travel to and from whom.
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

/// Halo layers per dimension on the side of low and of high indices.
struct HaloWidths {
  std::vector<int> left;
  std::vector<int> right;
};

/// Grid points per neighbor of a graph; one list per destination or source.
struct GraphPoints {
  std::vector<std::vector<int>> sends;
  std::vector<std::vector<int>> receives;
};

/// An array of an exchange, seen from one side: what is sent from, or received into.
struct HaloArray {
  Grid grid;
  HaloWidths widths;                      ///< empty for a graph
  const mpi::Element* element = nullptr;  ///< one grid point; owned by the vector
  /// Why processes of the same node cannot map its memory; empty: they can.
  std::string private_because =
      "it is in memory of the application's own; ADCL_Vector_allocate makes arrays that can be shared";
};

/// What is exchanged of one array, or between two. Most exchanges have one field; those with several have the same
/// neighbors for all of them, and nothing else in common.
struct HaloField {
  HaloArray send;
  HaloArray receive;
  bool same_buffer = true;  ///< sent from and received into the same array
};

/// The two sides of an exchange on one rank.
enum class Way { out, in };

/// One message of the exchange, or the part of a message that joins several.
struct Transfer {
  int field = 0;  ///< of HaloSetting::fields
  int peer = 0;
  int tag = 0;  ///< relative to HaloProblem::tag_base; (sender, receiver, tag) is unique and the same on both sides
  Direction direction;  ///< in which the data move; empty for a graph
  /// Position in an order of all links of the process graph that both ends know: pairwise codelets work through
  /// (phase, lower rank, higher rank) and cannot wait in a circle. Links of the same phase and ranks share a step.
  int phase = 0;
  Region region;
};

/// One step of a pairwise schedule: everything exchanged with one peer before the next one has its turn.
struct PairStep {
  int peer = 0;
  bool first = false;         ///< this rank is the lower one: it sends before it receives
  bool self = false;          ///< the peer is this rank; sends[i] belongs to receives[i]
  std::vector<int> sends;     ///< indices into HaloProblem::sends, by tag
  std::vector<int> receives;  ///< indices into HaloProblem::receives, by tag
};

/// Everything about a halo exchange but its messages: what the exchange of a part of them has in common with the whole.
struct HaloSetting {
  Neighborhood neighborhood;
  std::vector<HaloField> fields = std::vector<HaloField>(1);

  int tag_base = 0;              ///< first tag of this request on its communicator
  int tag_span = 0;              ///< number of tags, the same on all ranks
  std::int64_t topology_id = 0;  ///< the same on all ranks of the communicator, distinct per topology
  std::int64_t request_id = 0;   ///< the same on all ranks of the communicator, distinct per request
  /// All ranks use a send datatype of the same memory layout, and a receive datatype of the same one, for each field;
  /// agreed on.
  bool uniform_layout = true;
  const char* window_defect = nullptr;  ///< mpi::Context::window_defect()
  const Nodes* nodes = nullptr;         ///< Machine::nodes; null: all processes are on one node

  [[nodiscard]] bool several_fields() const noexcept { return fields.size() > 1; }
  /// \p peer is on the node of this rank.
  [[nodiscard]] bool is_near(int peer) const noexcept { return nodes == nullptr || nodes->hold(peer); }
  /// The array that \p transfer is taken from, or goes to.
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
  /// Without messages.
  explicit HaloProblem(const HaloSetting& setting) : HaloSetting(setting) {}

  std::vector<Transfer> sends;     ///< sorted by (peer, tag)
  std::vector<Transfer> receives;  ///< sorted by (peer, tag)

  [[nodiscard]] const std::vector<Transfer>& transfers(Way way) const noexcept {
    return way == Way::out ? sends : receives;
  }

  [[nodiscard]] Statement state() const override;
  void settle(const Settlement& settlement) override;
  void verify(mpi::Context& context, const std::array<std::uint64_t, 2>& balances) const override;

  /// Of all messages that this rank sends.
  [[nodiscard]] std::int64_t bytes_out() const;
  /// Steps of a pairwise exchange in an order in which no set of ranks waits in a circle.
  [[nodiscard]] std::vector<PairStep> pair_schedule() const;

 protected:
  [[nodiscard]] const char* pattern() const override { return "neighborhood"; }
  void identify(Hash& hash) const override;
  void tell(Features& features) const override;
};

/// Fills sends, receives and tag_span of \p problem from its neighborhood and its fields' grids and widths (all kinds
/// but graph).
/// Throws Error(argument) when a halo is wider than the block it is taken from, or dimensions do not fit.
void build_halo(HaloProblem& problem);

/// The same for a graph; \p points are those of each field. Throws Error(argument) when counts do not fit the
/// neighbors, a point is outside the array, received twice, or sent and received through the same array.
void build_graph(HaloProblem& problem, const std::vector<GraphPoints>& points);

}  // namespace adcl
