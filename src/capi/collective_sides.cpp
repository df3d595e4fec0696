#include "capi/collective_sides.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "capi/guard.hpp"
#include "codelets/collectives/vmaps.hpp"

namespace adcl::capi {
namespace {

using codelets::AllVmap;
using codelets::InplaceVmap;
using codelets::ListVmap;
using codelets::ListwVmap;
using data::Vector;

bool any(const std::vector<int> &counts) {
  return std::any_of(counts.begin(), counts.end(), [](int count) { return count > 0; });
}

/// A grid of at least \p entries points, or of one if that is 0. Extents are int, so a large grid has several lines.
Grid grid_of(std::int64_t entries) {
  constexpr std::int64_t line = 65536;
  if (entries <= std::numeric_limits<int>::max()) {
    return {{std::max(static_cast<int>(entries), 1)}};
  }
  return {{static_cast<int>((entries + line - 1) / line), static_cast<int>(line)}};
}

/// The address to use if the application passes null; \p first_byte is the offset of the data. The first page of memory
/// contains no data. So larger offsets are absolute addresses, and null means MPI_BOTTOM.
void *null_address(bool has_data, std::int64_t first_byte, const char *argument) {
  constexpr std::int64_t page_bytes = 4096;
  require(!has_data || first_byte >= page_bytes, Code::argument, argument,
          " is a null pointer; pass the address of the data");
  return has_data ? nullptr : Vector::no_array();
}

/// One displacement for each count. The array may be null if all counts are 0.
std::vector<int> displacements_of(const int *displs, const std::vector<int> &counts) {
  std::vector<int> all(counts.size(), 0);
  if (displs != nullptr || any(counts)) {
    require_pointer(displs, "the array of displacements");
    all.assign(displs, displs + counts.size());
  }
  return all;
}

}  // namespace

void require_count(int count, const char *argument) {
  require(count >= 0, Code::argument, argument, " is ", count, "; a count must be at least 0");
}

std::vector<int> counts_of(const int *counts, int size, const char *argument) {
  require_pointer(counts, argument);
  for (int i = 0; i < size; ++i) {
    require(counts[i] >= 0, Code::argument, argument, "[", i, "] is ", counts[i], "; a count must be at least 0");
  }
  return {counts, counts + size};
}

std::shared_ptr<Vector> array(const void *address, std::int64_t entries, MPI_Datatype type, const char *argument) {
  require(address != MPI_IN_PLACE, Code::argument, argument, " is MPI_IN_PLACE, which it cannot be on this rank");
  void *data = const_cast<void *>(address);
  if (address == nullptr) {
    const mpi::Element element(type, 0);
    data = null_address(entries > 0 && element.size_bytes() > 0, element.true_lower_bound(), argument);
  }
  return std::make_shared<Vector>(grid_of(entries), 0, type, data, Vector::Null::accepted);
}

Side in_place() { return {nullptr, std::make_shared<InplaceVmap>()}; }

Side blocks(const void *address, int count, int ranks, MPI_Datatype type, const char *buffer, const char *argument) {
  require_count(count, argument);
  return {array(address, static_cast<std::int64_t>(count) * ranks, type, buffer), std::make_shared<AllVmap>(count)};
}

Side list(const void *address, const int *counts, const int *displs, int size, MPI_Datatype type, const char *buffer,
          const char *argument) {
  auto lengths = counts_of(counts, size, argument);
  auto places = displacements_of(displs, lengths);
  std::int64_t end = any(lengths) ? 1 : 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    end = std::max(end, lengths[i] > 0 ? static_cast<std::int64_t>(places[i]) + lengths[i] : 0);
  }
  return {array(address, end, type, buffer), std::make_shared<ListVmap>(std::move(lengths), std::move(places))};
}

Side listw(const void *address, const int *counts, const int *displs, const MPI_Datatype *types, int size,
           const char *buffer, const char *argument) {
  auto lengths = counts_of(counts, size, argument);
  auto places = displacements_of(displs, lengths);
  require_pointer(static_cast<const void *>(types), "the array of datatypes");
  require(address != MPI_IN_PLACE, Code::argument, buffer, " is MPI_IN_PLACE, which it cannot be on this rank");
  void *data = address != nullptr ? const_cast<void *>(address) : Vector::no_array();
  for (std::size_t i = 0; i < lengths.size() && address == nullptr; ++i) {
    const mpi::Element element(types[i], 0);
    if (lengths[i] > 0 && element.size_bytes() > 0) {
      data = null_address(true, places[i] + element.true_lower_bound(), buffer);
    }
  }
  return {std::make_shared<Vector>(Grid{{1}}, 0, MPI_BYTE, data, Vector::Null::accepted),
          std::make_shared<ListwVmap>(std::move(lengths), std::move(places),
                                      std::vector<MPI_Datatype>(types, types + size))};
}

}  // namespace adcl::capi
