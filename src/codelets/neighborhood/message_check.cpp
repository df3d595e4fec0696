#include "codelets/neighborhood/message_check.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "mpi/agreement.hpp"
#include "mpi/check.hpp"
#include "mpi/datatype.hpp"

namespace adcl {
namespace {

/// Properties that sender and receiver of a message must have in common. Sent as bytes.
struct MessageContent {
  std::int64_t bytes = 0;
  std::uint64_t shape = 0;
  std::uint64_t signature = 0;
};

/// Hash of the region's extents in the order of the packed data. Points of a graph and empty regions have no shape.
/// Extents of 1 are ignored: which dimension of an array is contiguous matters for a face, but not for a line of
/// points.
std::uint64_t shape_of(const Region& region, const Grid& grid) {
  if (region.indexed || region.count() == 0) {
    return 0;
  }
  Hash hash;
  const std::size_t dimensions = region.extent.size();
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t d = grid.fortran_order ? dimensions - 1 - i : i;
    if (region.extent[d] != 1) {
      hash.add(d).add(static_cast<std::uint64_t>(region.extent[d]));
    }
  }
  return hash.value();
}

MessageContent content_of(const HaloProblem& problem, const Transfer& transfer, Way way) {
  const HaloArray& array = problem.array(transfer, way);
  const std::int64_t points = transfer.region.count();
  return {points * array.element->size_bytes(), shape_of(transfer.region, array.grid),
          array.element->signature().repeated(points).value()};
}

std::uint64_t edge_hash(int from, int to, int tag, const MessageContent& content) {
  return Hash()
      .add(static_cast<std::uint64_t>(from))
      .add(static_cast<std::uint64_t>(to))
      .add(static_cast<std::uint64_t>(tag))
      .add(static_cast<std::uint64_t>(content.bytes))
      .add(content.shape)
      .add(content.signature)
      .value();
}

void require_fit(int peer, const MessageContent& wanted, const MessageContent& got) {
  require(got.bytes == wanted.bytes, Code::mismatch, "receives ", wanted.bytes, " bytes from rank ", peer,
          ", which sends ", got.bytes, ": halo widths, block sizes, nc or datatypes of the two ranks do not match");
  require(got.shape == wanted.shape, Code::mismatch, "receives ", wanted.bytes, " bytes from rank ", peer,
          ", which sends the same number of bytes, but from a region of another shape: halo widths, block sizes or "
          "storage orders of the two ranks do not match");
  require(got.signature == wanted.signature, Code::mismatch, "receives ", wanted.bytes, " bytes from rank ", peer,
          ", which sends the same number of bytes, but of other datatypes: the datatypes of the two ranks do not "
          "match");
}

/// Throws Error(mismatch) on ranks whose incoming messages differ from the expected messages. Collective over
/// neighbors; each message must have a sender and a receiver.
void compare_messages(const HaloProblem& problem, MPI_Comm comm) {
  constexpr int size = sizeof(MessageContent);
  std::vector<MessageContent> out;
  std::vector<MessageContent> in(problem.receives.size());
  std::vector<MPI_Request> requests;
  for (const Transfer& transfer : problem.sends) {
    out.push_back(content_of(problem, transfer, Way::out));
  }
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Transfer& transfer = problem.receives[i];
    mpi::check(MPI_Irecv(&in[i], size, MPI_BYTE, transfer.peer, problem.tag_base + transfer.tag, comm,
                         &requests.emplace_back()),
               "MPI_Irecv");
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Transfer& transfer = problem.sends[i];
    mpi::check(MPI_Isend(&out[i], size, MPI_BYTE, transfer.peer, problem.tag_base + transfer.tag, comm,
                         &requests.emplace_back()),
               "MPI_Isend");
  }
  mpi::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  for (std::size_t i = 0; i < in.size(); ++i) {
    require_fit(problem.receives[i].peer, content_of(problem, problem.receives[i], Way::in), in[i]);
  }
}

}  // namespace

std::array<std::uint64_t, 2> message_balances(const HaloProblem& problem) {
  std::array<std::uint64_t, 2> sums{};
  const int rank = problem.neighborhood.rank;
  for (const Transfer& out : problem.sends) {
    sums[0] += edge_hash(rank, out.peer, out.tag, {});
    sums[1] += edge_hash(rank, out.peer, out.tag, content_of(problem, out, Way::out));
  }
  for (const Transfer& in : problem.receives) {
    sums[0] -= edge_hash(in.peer, rank, in.tag, {});
    sums[1] -= edge_hash(in.peer, rank, in.tag, content_of(problem, in, Way::in));
  }
  return sums;
}

void verify_messages(const HaloProblem& problem, mpi::Context& context, const std::array<std::uint64_t, 2>& balances) {
  // The comparison would hang if a message had no sender or no receiver.
  require(balances[0] == 0, Code::mismatch,
          "the neighbors do not match: a rank sends to a rank that does not receive from it; check the neighbors and "
          "directions of the topology");
  mpi::share_error(context.comm(), mpi::error_of([&] { compare_messages(problem, context.comm()); }));
}

}  // namespace adcl
