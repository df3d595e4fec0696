#include "codelets/neighborhood/packed_region.hpp"

#include <algorithm>
#include <limits>

#include "mpi/check.hpp"
#include "mpi/environment.hpp"

namespace adcl::codelets {
namespace {

bool exceeds_int(const std::vector<Transfer>& transfers, const mpi::Element& element) {
  return std::any_of(transfers.begin(), transfers.end(), [&](const Transfer& transfer) {
    return transfer.region.count() * element.size_bytes() > std::numeric_limits<int>::max();
  });
}

/// MPI lets a library put more into a packed message than the data.
bool packs_plainly(const mpi::Element& element) {
  int bytes = 0;
  mpi::check(MPI_Pack_size(1, element.type(), mpi::environment().self(), &bytes), "MPI_Pack_size");
  return bytes == element.size_bytes();
}

}  // namespace

PackedRegion::PackedRegion(const Region& region, const Grid& grid, const mpi::Element& element)
    : bytes_(static_cast<std::size_t>(region.count() * element.size_bytes())), dense_(element.dense()) {
  if (dense_) {
    packer_ = Packer(region, grid, element.extent_bytes());
  } else {
    type_ = mpi::region_type(region, grid, element);
  }
}

void PackedRegion::pack(const void* array, void* buffer) const {
  if (dense_) {
    return packer_.pack(array, buffer);
  }
  if (bytes_ == 0) {
    return;  // the buffer of nothing may have no address, which MPI rejects
  }
  int position = 0;
  mpi::check(MPI_Pack(array, 1, type_.get(), buffer, static_cast<int>(bytes_), &position, mpi::environment().self()),
             "MPI_Pack");
}

void PackedRegion::unpack(const void* buffer, void* array) const {
  if (dense_) {
    return packer_.unpack(buffer, array);
  }
  if (bytes_ == 0) {
    return;
  }
  int position = 0;
  mpi::check(MPI_Unpack(buffer, static_cast<int>(bytes_), &position, array, 1, type_.get(), mpi::environment().self()),
             "MPI_Unpack");
}

std::optional<std::string> PackedRegion::applicable(const HaloProblem& problem) {
  if (!problem.uniform_layout || problem.send_element->layout_hash() != problem.receive_element->layout_hash()) {
    return "data are sent and received with datatypes of different memory layout, and travel as plain bytes";
  }
  if (problem.send_element->dense()) {
    return std::nullopt;
  }
  if (!packs_plainly(*problem.send_element)) {
    return "MPI_Pack of this library adds something to the data of elements with holes";
  }
  if (exceeds_int(problem.sends, *problem.send_element) || exceeds_int(problem.receives, *problem.receive_element)) {
    return "a message of elements with holes is larger than MPI_Pack can count";
  }
  return std::nullopt;
}

}  // namespace adcl::codelets
