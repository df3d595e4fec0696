/// \file rows.hpp
/// Building blocks for the rows of the neighborhood's codelets. The file of an algorithm exports its rows as one
/// function `Rows name()`; table.cpp declares and calls these functions, and sorts the rows.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/codelet.hpp"
#include "core/text.hpp"

namespace adcl::codelets {

using Rows = std::vector<Codelet>;

/// The names of all rows, in the order of the table; rows without a name in this list come last.
std::span<const std::string_view> order_of_rows();

/// The number of neighbors with which a rank communicates at a time, and the routes of the messages.
enum class Partners { aao, pair, dimension, dimension_corners, joined, node_first, node_leaders };
/// How data that are not contiguous in memory are handled.
enum class NonContiguous { ddt, pack, direct };
/// The MPI calls or the memory accesses that move the data.
enum class Primitive {
  isend_irecv,
  send_irecv,
  send_recv,
  sendrecv,
  fence_put,
  fence_get,
  post_start_put,
  post_start_get,
  persistent,
  neighbor_collective,
  neighbor_persistent,
  passive_put,
  shared_memory,
  partitioned
};
/// How a rank waits for posted operations: for all together, or as messages arrive. Primitives that post nothing have
/// `none`.
enum class Completion { none = not_applicable, waitall, waitany, waitsome };

/// The attributes of a row.
inline std::vector<int> attributes(Partners partners, NonContiguous noncontiguous, Primitive primitive,
                                   Completion completion) {
  return {static_cast<int>(partners), static_cast<int>(noncontiguous), static_cast<int>(primitive),
          static_cast<int>(completion)};
}

/// The capabilities of a codelet that does everything in start(), for any location of the arrays.
inline constexpr Capabilities blocking{};

/// Requirements that several algorithms share.
namespace needs {
inline constexpr auto nothing = "";
inline constexpr auto same_layout = "datatypes of the same memory layout on all processes";
inline constexpr auto several_messages = "several messages between the same two ranks, for example of several fields";
}  // namespace needs

/// Sources that several algorithms share.
namespace source {
inline std::string thesis(int row) { return text("thesis Table 3.1 row ", row); }
inline constexpr auto comb = "LLNL Comb: persistent requests, MPI_Waitany, MPI_Waitsome";
inline constexpr auto combining = "message combining: Traeff, Luebbe, Rougier and Hunold, EuroMPI 2015";
inline constexpr auto mpi3 = "MPI 3.1 sections 7.6 and 7.7";
inline constexpr auto hoefler = "Hoefler et al., MPI + MPI, Computing 95, 2013";
}  // namespace source

/// Growth of the time with the number of ranks p of a three-dimensional grid, for a fixed block size per rank.
namespace growth {
inline constexpr auto flat = "1";  ///< a rank waits only for its neighbors, whose number is constant
inline constexpr auto chained =
    "p^(1/3)";  ///< steps in the order of the ranks: the last rank of a line waits for all ranks before it
inline constexpr auto fences = "log p";  ///< all ranks wait for each other
}  // namespace growth

}  // namespace adcl::codelets
