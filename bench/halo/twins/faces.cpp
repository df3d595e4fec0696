#include "halo/twins/faces.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace twins {
namespace {

constexpr std::size_t long_row = 16;

/// Copies rows of `length` doubles. Single doubles are copied four at a time: a plain loop takes up to twice as long.
void move_rows(double* to, std::size_t to_stride, const double* from, std::size_t from_stride, std::size_t rows,
               std::size_t length) {
  if (length == 1) {
    std::size_t row = 0;
    for (; row + 4 <= rows; row += 4) {
      const double a = from[0];
      const double b = from[from_stride];
      const double c = from[2 * from_stride];
      const double d = from[3 * from_stride];
      to[0] = a;
      to[to_stride] = b;
      to[2 * to_stride] = c;
      to[3 * to_stride] = d;
      from += 4 * from_stride;
      to += 4 * to_stride;
    }
    for (; row < rows; ++row, from += from_stride, to += to_stride) {
      *to = *from;
    }
  } else if (length >= long_row) {
    for (std::size_t row = 0; row < rows; ++row, from += from_stride, to += to_stride) {
      std::memcpy(to, from, length * sizeof(double));
    }
  } else {
    for (std::size_t row = 0; row < rows; ++row, from += from_stride, to += to_stride) {
      for (std::size_t i = 0; i < length; ++i) {
        to[i] = from[i];
      }
    }
  }
}

/// The index of a direction, each of whose components is -1, 0 or 1.
int index_of(const std::array<int, 3>& direction) {
  return (direction[0] + 1) * 9 + (direction[1] + 1) * 3 + direction[2] + 1;
}
constexpr int last_index = 26;

Box box_of(const Block& block, const std::array<int, 3>& direction, bool halo) {
  Box box{{0, 0, 0}, {1, 1, 1}, {0, 0, 0}};
  const std::size_t missing = 3 - block.dims.size();
  std::size_t stride = 1;
  for (std::size_t d = 3; d-- > missing;) {
    const int extent = block.dims[d - missing];
    const int layer = halo ? 1 : 0;
    box.start[d] = direction[d] > 0 ? extent - 2 + layer : 1 - (direction[d] < 0 ? layer : 0);
    box.extent[d] = direction[d] == 0 ? static_cast<std::size_t>(extent - 2) : 1;
    box.stride[d] = stride;
    stride *= static_cast<std::size_t>(extent);
  }
  return box;
}

/// The neighbor in a direction; MPI_PROC_NULL beyond an open end.
int neighbor_of(const Block& block, const std::array<int, 3>& direction) {
  const std::size_t n = block.dims.size();
  std::vector<int> dims(n);
  std::vector<int> periods(n);
  std::vector<int> coords(n);
  MPI_Cart_get(block.cart, static_cast<int>(n), dims.data(), periods.data(), coords.data());
  for (std::size_t d = 0; d < n; ++d) {
    coords[d] += direction[d + 3 - n];
    if (periods[d] == 0 && (coords[d] < 0 || coords[d] >= dims[d])) {
      return MPI_PROC_NULL;
    }
  }
  int rank = 0;
  MPI_Cart_rank(block.cart, coords.data(), &rank);
  return rank;
}

}  // namespace

std::size_t Block::points() const {
  std::size_t product = 1;
  for (const int extent : dims) {
    product *= static_cast<std::size_t>(extent);
  }
  return product;
}

std::size_t Box::offset() const {
  std::size_t sum = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    sum += static_cast<std::size_t>(start[d]) * stride[d];
  }
  return sum;
}

double* pack(const Box& box, const double* array, double* buffer) {
  const double* from = array + box.offset();
  for (std::size_t i = 0; i < box.extent[0]; ++i, from += box.stride[0], buffer += box.extent[1] * box.extent[2]) {
    move_rows(buffer, box.extent[2], from, box.stride[1], box.extent[1], box.extent[2]);
  }
  return buffer;
}

const double* unpack(const Box& box, const double* buffer, double* array) {
  double* to = array + box.offset();
  for (std::size_t i = 0; i < box.extent[0]; ++i, to += box.stride[0], buffer += box.extent[1] * box.extent[2]) {
    move_rows(to, box.stride[1], buffer, box.extent[2], box.extent[1], box.extent[2]);
  }
  return buffer;
}

void copy(const Box& from, const double* source, const Box& to, double* target) {
  source += from.offset();
  target += to.offset();
  for (std::size_t i = 0; i < from.extent[0]; ++i, source += from.stride[0], target += to.stride[0]) {
    move_rows(target, to.stride[1], source, from.stride[1], from.extent[1], from.extent[2]);
  }
}

void increment(const Box& box, double* array) {
  double* plane = array + box.offset();
  for (std::size_t i = 0; i < box.extent[0]; ++i, plane += box.stride[0]) {
    double* row = plane;
    for (std::size_t j = 0; j < box.extent[1]; ++j, row += box.stride[1]) {
      for (std::size_t k = 0; k < box.extent[2]; ++k) {
        row[k] += 1.0;
      }
    }
  }
}

std::vector<Side> sides_of(const Block& block) {
  std::vector<Side> sides;
  const std::size_t missing = 3 - block.dims.size();
  for (int index = 0; index <= last_index; ++index) {
    const std::array<int, 3> direction = {index / 9 - 1, index / 3 % 3 - 1, index % 3 - 1};
    const int steps = std::abs(direction[0]) + std::abs(direction[1]) + std::abs(direction[2]);
    const bool beyond = std::any_of(direction.begin(), direction.begin() + static_cast<std::ptrdiff_t>(missing),
                                    [](int component) { return component != 0; });
    if (steps == 0 || beyond || (steps > 1 && !block.corners)) {
      continue;
    }
    const int peer = neighbor_of(block, direction);
    if (peer != MPI_PROC_NULL) {
      const std::array<int, 3> opposite = {-direction[0], -direction[1], -direction[2]};
      sides.push_back({peer, index_of(direction), index_of(opposite), box_of(block, direction, false),
                       box_of(block, direction, true), box_of(block, opposite, false)});
    }
  }
  return sides;
}

}  // namespace twins
