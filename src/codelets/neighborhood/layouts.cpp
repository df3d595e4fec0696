#include "codelets/neighborhood/layouts.hpp"

#include <cstring>
#include <type_traits>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

constexpr std::int64_t half = std::int64_t{1} << 31U;

constexpr std::size_t memory_words = sizeof(mpi::NodeMemoryHandle) / sizeof(int);
static_assert(memory_words * sizeof(int) == sizeof(mpi::NodeMemoryHandle) &&
              std::is_trivially_copyable_v<mpi::NodeMemoryHandle>);

/// Contents: the memory handle, the offset of the first point in two halves, storage order, kind of region, number of
/// dimensions, dims, then start and extent or the points.
std::vector<int> encoded(const Region& region, const Layout& array) {
  const Grid& grid = array.grid;
  std::vector<int> words(memory_words);
  std::memcpy(words.data(), &array.memory, sizeof array.memory);
  words.insert(words.end(), {static_cast<int>(array.first_point / half), static_cast<int>(array.first_point % half),
                             grid.fortran_order ? 1 : 0, region.indexed ? 1 : 0, static_cast<int>(grid.dims.size())});
  words.insert(words.end(), grid.dims.begin(), grid.dims.end());
  if (region.indexed) {
    words.insert(words.end(), region.points.begin(), region.points.end());
  } else {
    words.insert(words.end(), region.start.begin(), region.start.end());
    words.insert(words.end(), region.extent.begin(), region.extent.end());
  }
  return words;
}

Layout decoded(std::span<const int> words) {
  constexpr std::size_t header = 5;
  Layout layout;
  std::memcpy(static_cast<void*>(&layout.memory), words.data(), sizeof layout.memory);
  words = words.subspan(memory_words);
  layout.first_point = words[0] * half + words[1];
  layout.grid.fortran_order = words[2] != 0;
  layout.region.indexed = words[3] != 0;
  const auto ndims = static_cast<std::size_t>(words[4]);
  words = words.subspan(header);
  const auto taken = [&words](std::size_t count) {
    std::vector<int> part(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
    words = words.subspan(count);
    return part;
  };
  layout.grid.dims = taken(ndims);
  if (layout.region.indexed) {
    layout.region.points = taken(words.size());
  } else {
    layout.region.start = taken(ndims);
    layout.region.extent = taken(ndims);
  }
  return layout;
}

}  // namespace

std::vector<Layout> exchange_layouts(MPI_Comm comm, int tag_base, const std::vector<Transfer>& exposed,
                                     std::span<const Layout> arrays, const std::vector<Transfer>& wanted) {
  std::vector<std::vector<int>> messages;
  std::vector<MPI_Request> requests;
  std::vector<Layout> layouts;
  mpi::run_collectively(comm, [&] {
    requests.assign(exposed.size(), MPI_REQUEST_NULL);
    layouts.reserve(wanted.size());
    for (const Transfer& transfer : exposed) {
      messages.push_back(encoded(transfer.region, arrays[static_cast<std::size_t>(transfer.field)]));
    }
  });
  mpi::run_collectively(comm, [&] {
    for (std::size_t i = 0; i < exposed.size(); ++i) {
      mpi::check(MPI_Isend(messages[i].data(), static_cast<int>(messages[i].size()), MPI_INT, exposed[i].peer,
                           tag_base + exposed[i].tag, comm, &requests[i]),
                 "MPI_Isend");
    }
    for (const Transfer& transfer : wanted) {
      MPI_Status status;
      int count = 0;
      mpi::check(MPI_Probe(transfer.peer, tag_base + transfer.tag, comm, &status), "MPI_Probe");
      mpi::check(MPI_Get_count(&status, MPI_INT, &count), "MPI_Get_count");
      std::vector<int> words(static_cast<std::size_t>(count));
      mpi::check(
          MPI_Recv(words.data(), count, MPI_INT, transfer.peer, tag_base + transfer.tag, comm, MPI_STATUS_IGNORE),
          "MPI_Recv");
      layouts.push_back(decoded(words));
    }
    mpi::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  });
  return layouts;
}

}  // namespace adcl::codelets
