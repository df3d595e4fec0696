#include "data/vector.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "core/error.hpp"

namespace adcl::data {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::int64_t largest_bytes = std::int64_t{1} << 60;

void check_grid(const Grid& grid, int nc) {
  require(nc >= 0, Code::argument, "nc is ", nc, "; pass the number of entries per grid point, or 0 for a scalar");
  std::int64_t points = 1;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    const int extent = grid.dims[d];
    require(extent >= 1, Code::argument, "dims[", d, "] is ", extent, "; an extent is at least 1");
    require(!__builtin_mul_overflow(points, static_cast<std::int64_t>(extent), &points), Code::argument,
            "the vector has more points than a 64-bit integer can count");
  }
}

}  // namespace

Vector::Vector(Grid grid, int nc, MPI_Datatype type)
    : grid_(std::move(grid)),
      nc_(nc),
      element_(std::make_shared<mpi::Element>(type, nc)),
      entry_(nc <= 1 ? element_ : std::make_shared<mpi::Element>(type, 0)) {
  check_grid(grid_, nc);
}

Vector::Vector(Grid grid, int nc, MPI_Datatype type, void* data, Null null) : Vector(std::move(grid), nc, type) {
  data_ = data;
  require(data != nullptr || null == Null::accepted, Code::argument,
          "data is a null pointer; pass the address of the first element");
}

Vector::Vector(Grid grid, int nc, MPI_Datatype type, mpi::Sharing sharing) : Vector(std::move(grid), nc, type) {
  // The elements may start before the address of the first element, because lower bounds and extents can be negative.
  std::int64_t last = 0;
  require(
      !__builtin_mul_overflow(grid_.points() - 1, element_->extent_bytes(), &last) && std::abs(last) < largest_bytes,
      Code::memory, "a vector of ", grid_.points(), " elements of ", element_->extent_bytes(),
      " bytes could not be allocated");
  const std::int64_t begin = std::min<std::int64_t>(0, element_->true_lower_bound() + std::min<std::int64_t>(0, last));
  const std::int64_t end = element_->true_lower_bound() + element_->true_extent() + std::max<std::int64_t>(0, last);
  const std::size_t before = (static_cast<std::size_t>(-begin) + alignment - 1) / alignment * alignment;
  owned_ = mpi::ArrayMemory::make(before + static_cast<std::size_t>(std::max<std::int64_t>(end, 1)), sharing);
  data_ = owned_->data() + before;
}

void* Vector::no_array() noexcept {
  static char nothing = 0;
  return &nothing;
}

std::string Vector::private_because() const {
  // The application's array may be part of a larger array that the library allocated.
  const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(grid_.points() * element_->extent_bytes(), 0));
  const auto memory = owned_ != nullptr ? owned_ : mpi::ArrayMemory::containing(data_, bytes);
  return memory != nullptr
             ? memory->private_because()
             : "the application allocated the array; ADCL_Vector_allocate allocates memory that can be shared";
}

}  // namespace adcl::data
