// Packs the data, then uses one neighborhood collective on contiguous buffers.
// Source: MPI 3.1, section 7.6.
#include <algorithm>
#include <limits>

#include "codelets/neighborhood/blocking_plan.hpp"
#include "codelets/neighborhood/collective/neighbor_graph.hpp"
#include "codelets/neighborhood/packed_region.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "mpi/check.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

/// MPI counts the buffers of this collective in int. Units of 8 bytes, if all messages allow them, support 16 GiB.
struct Units {
  MPI_Datatype type = MPI_BYTE;
  std::size_t bytes = 1;
};

std::size_t all_bytes(const HaloProblem& problem, Way way) {
  std::size_t bytes = 0;
  for (const Transfer& transfer : problem.transfers(way)) {
    bytes += static_cast<std::size_t>(bytes_of(problem, transfer, way));
  }
  return bytes;
}

/// The unit depends only on the elements, which are the same on all ranks.
Units units_of(const HaloProblem& problem) {
  const bool fits = std::all_of(problem.fields.begin(), problem.fields.end(), [](const HaloField& field) {
    return field.send.element->size_bytes() % static_cast<std::int64_t>(sizeof(std::int64_t)) == 0;
  });
  return fits ? Units{MPI_INT64_T, sizeof(std::int64_t)} : Units{};
}

/// One side of the exchange: the transfers of all edges, one after the other in one buffer.
class PackedSide {
 public:
  PackedSide() = default;
  PackedSide(const HaloProblem& problem, Way way) {
    const std::size_t unit = units_of(problem).bytes;
    std::size_t offset = 0;
    for (const auto& edge : by_neighbor(problem, problem.transfers(way))) {
      const std::size_t begin = offset;
      for (const std::size_t i : edge) {
        regions_.emplace_back(problem, problem.transfers(way)[i], way);
        offset += regions_.back().bytes();
      }
      displacements_.push_back(static_cast<int>(begin / unit));
      counts_.push_back(static_cast<int>((offset - begin) / unit));
    }
    buffer_.resize(offset / sizeof(std::int64_t) + 1);
    // An unused entry, because MPI libraries reject the null addresses of empty lists.
    displacements_.push_back(0);
    counts_.push_back(0);
  }
  void pack(const Buffers& buffers) {
    auto* position = reinterpret_cast<std::byte*>(buffer_.data());
    for (const PackedRegion& region : regions_) {
      region.pack(buffers, position);
      position += region.bytes();
    }
  }
  void unpack(const Buffers& buffers) const {
    const auto* position = reinterpret_cast<const std::byte*>(buffer_.data());
    for (const PackedRegion& region : regions_) {
      region.unpack(position, buffers);
      position += region.bytes();
    }
  }
  [[nodiscard]] void* buffer() noexcept { return buffer_.data(); }
  [[nodiscard]] const int* counts() const noexcept { return counts_.data(); }
  [[nodiscard]] const int* displacements() const noexcept { return displacements_.data(); }

 private:
  std::vector<PackedRegion> regions_;
  std::vector<int> counts_;
  std::vector<int> displacements_;
  std::vector<std::int64_t> buffer_;
};

class NeighborAlltoallvPlan final : public BlockingPlan {
 public:
  NeighborAlltoallvPlan(const HaloProblem& problem, mpi::Context& context) : unit_(units_of(problem).type) {
    mpi::run_collectively(context.comm(), [&] {
      sends_ = PackedSide(problem, Way::out);
      receives_ = PackedSide(problem, Way::in);
    });
    graph_ = neighbor_graph(problem, context);
  }

  void start(const Buffers& buffers) override {
    sends_.pack(buffers);
    mpi::check(
        MPI_Neighbor_alltoallv(sends_.buffer(), sends_.counts(), sends_.displacements(), unit_, receives_.buffer(),
                               receives_.counts(), receives_.displacements(), unit_, graph_->get()),
        "MPI_Neighbor_alltoallv");
    receives_.unpack(buffers);
  }

 private:
  MPI_Datatype unit_;
  PackedSide sends_;
  PackedSide receives_;
  std::shared_ptr<mpi::Communicator> graph_;
};

std::optional<std::string> applicable(const Problem& problem) {
  if (auto reason = no_neighbor_collectives()) {
    return reason;
  }
  const HaloProblem& exchange = halo(problem);
  const std::size_t units =
      std::max(all_bytes(exchange, Way::out), all_bytes(exchange, Way::in)) / units_of(exchange).bytes;
  if (units > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return "the messages of a process have more bytes in total than MPI_Neighbor_alltoallv can count";
  }
  return PackedRegion::applicable(exchange);
}

std::size_t bytes(const Problem& problem) {
  const HaloProblem& exchange = halo(problem);
  return all_bytes(exchange, Way::out) + all_bytes(exchange, Way::in) + NeighborTypes::bytes(exchange);
}

}  // namespace

Rows neighbor_alltoallv() {
  return {
      {.name = "Neighbor_alltoallv_pack",
       .attributes = attributes(Partners::aao, NonContiguous::pack, Primitive::neighbor_collective, Completion::none),
       .capabilities = {.collective_plan = true, .touches_data = true},
       .requirements = "datatypes of the same memory layout for sending and receiving on all processes",
       .source = source::mpi3,
       .algorithm = {applicable, bytes,
                     [](const Problem& problem, mpi::Context& context, const Buffers& /*buffers*/) -> PlanPointer {
                       return std::make_unique<NeighborAlltoallvPlan>(halo(problem), context);
                     },
                     no_neighbor_collectives},
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
