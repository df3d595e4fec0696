#include "codelets/neighborhood/packed_region.hpp"

#include <algorithm>
#include <limits>

#include "codelets/neighborhood/messages.hpp"
#include "mpi/check.hpp"
#include "mpi/environment.hpp"
#include "mpi/packing.hpp"

namespace adcl::codelets {
namespace {

bool exceeds_int(const HaloProblem& problem, int field, Way way) {
  const auto& transfers = problem.transfers(way);
  return std::any_of(transfers.begin(), transfers.end(), [&](const Transfer& transfer) {
    return transfer.field == field && bytes_of(problem, transfer, way) > std::numeric_limits<int>::max();
  });
}

/// True if a packed message contains only the data; MPI allows a library to add other bytes.
bool packs_plainly(const mpi::Element& element) {
  int bytes = 0;
  mpi::check(MPI_Pack_size(1, element.type(), mpi::environment().self(), &bytes), "MPI_Pack_size");
  return bytes == element.size_bytes();
}

/// PackedRegion::applicable() for one field.
std::optional<std::string> objection(const HaloProblem& problem, int number) {
  const HaloField& field = problem.fields[static_cast<std::size_t>(number)];
  if (!problem.uniform_layout || field.send.element->layout_hash() != field.receive.element->layout_hash()) {
    return "the datatypes for sending and receiving have different memory layouts, but this codelet transfers plain "
           "bytes";
  }
  if (field.send.element->dense()) {
    return std::nullopt;
  }
  if (!packs_plainly(*field.send.element)) {
    return "MPI_Pack of this library does not write plain bytes for elements with holes";
  }
  if (exceeds_int(problem, number, Way::out) || exceeds_int(problem, number, Way::in)) {
    return "a message of elements with holes has more bytes than MPI_Pack can count";
  }
  return std::nullopt;
}

}  // namespace

PackedRegion::PackedRegion(const HaloProblem& problem, const Transfer& transfer, Way way)
    : field_(transfer.field), bytes_(static_cast<std::size_t>(bytes_of(problem, transfer, way))) {
  const HaloArray& array = problem.array(transfer, way);
  dense_ = array.element->dense();
  if (dense_) {
    packer_ = Packer(transfer.region, array.grid, array.element->extent_bytes());
  } else {
    type_ = mpi::region_type(transfer.region, array.grid, *array.element);
  }
}

void PackedRegion::pack(const Buffers& buffers, void* buffer) const {
  const void* array = address_of(buffers, field_, Way::out);
  if (dense_) {
    return packer_.pack(array, buffer);
  }
  if (bytes_ == 0) {
    return;  // an empty buffer may have a null address, which MPI rejects
  }
  int position = 0;
  mpi::pack(array, type_, buffer, static_cast<int>(bytes_), position);
}

void PackedRegion::unpack(const void* buffer, const Buffers& buffers) const {
  void* array = address_of(buffers, field_, Way::in);
  if (dense_) {
    return packer_.unpack(buffer, array);
  }
  if (bytes_ == 0) {
    return;
  }
  int position = 0;
  mpi::unpack(buffer, static_cast<int>(bytes_), position, array, type_);
}

std::optional<std::string> PackedRegion::applicable(const HaloProblem& problem) {
  for (int field = 0; field < static_cast<int>(problem.fields.size()); ++field) {
    if (auto reason = objection(problem, field)) {
      return reason;
    }
  }
  return std::nullopt;
}

}  // namespace adcl::codelets
