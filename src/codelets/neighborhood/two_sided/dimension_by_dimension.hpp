/// \file dimension_by_dimension.hpp
/// Exchanges along one line of neighbors after the other: with the left and the right neighbor of a dimension together,
/// then along the next dimension, then along the diagonals of extended topologies. At most two messages of a rank are
/// in flight, which suits congested networks. All receives are posted at the beginning, because neighbors may be ahead.
/// Source: the `ordered` of paper Fig. 1; Palmer and Nieplocha 2002 (paper, reference 6).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codelets/neighborhood/blocking_plan.hpp"
#include "codelets/neighborhood/messages.hpp"
#include "mpi/check.hpp"

namespace adcl::codelets {

/// The transfers along one line of the process grid.
struct Line {
  std::vector<std::size_t> sends;     ///< indices into HaloProblem::sends
  std::vector<std::size_t> receives;  ///< indices into HaloProblem::receives
};

/// Returns the lines in an order that is the same on all ranks, without lines that have no neighbor. Not for graphs.
std::vector<Line> lines_of(const HaloProblem& problem);

/// Reason why the problem has no lines, or nothing.
std::optional<std::string> without_lines(const HaloProblem& problem);

template <typename Messages>
class DimensionByDimension final : public BlockingPlan {
 public:
  DimensionByDimension(const HaloProblem& problem, MPI_Comm comm, const Buffers& buffers)
      : messages_(problem, buffers),
        comm_(comm),
        lines_(lines_of(problem)),
        requests_(messages_.sends() + messages_.receives(), MPI_REQUEST_NULL) {}

  static std::optional<std::string> objection(const HaloProblem& problem) { return without_lines(problem); }

  void start(const Buffers& buffers) override {
    MPI_Request* request = requests_.data();
    for (const Line& line : lines_) {
      for (const std::size_t j : line.receives) {
        const Message in = messages_.incoming(j, buffers);
        mpi::check(MPI_Irecv(in.address, in.count, in.type, in.peer, in.tag, comm_, request++), "MPI_Irecv");
      }
      request += line.sends.size();
    }
    request = requests_.data();
    for (const Line& line : lines_) {
      MPI_Request* const first = request;
      request += line.receives.size();
      for (const std::size_t i : line.sends) {
        const Message out = messages_.outgoing(i, buffers);
        mpi::check(MPI_Isend(out.address, out.count, out.type, out.peer, out.tag, comm_, request++), "MPI_Isend");
      }
      mpi::check(MPI_Waitall(static_cast<int>(request - first), first, MPI_STATUSES_IGNORE), "MPI_Waitall");
      for (const std::size_t j : line.receives) {
        messages_.arrived(j, buffers);
      }
    }
  }

 private:
  Messages messages_;
  MPI_Comm comm_;
  std::vector<Line> lines_;
  std::vector<MPI_Request> requests_;
};

}  // namespace adcl::codelets
