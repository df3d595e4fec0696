#include <algorithm>

#include "core/error.hpp"
#include "support/exchange.hpp"
#include "support/random.hpp"

namespace adcl::test {
namespace {

constexpr std::int64_t guard_bytes = 64;

std::uint64_t point_value(int rank, std::int64_t point, int round) {
  return mixed((static_cast<std::uint64_t>(point) << 24U) ^ (static_cast<std::uint64_t>(round) << 12U) ^
               static_cast<std::uint64_t>(rank));
}

}  // namespace

Image::Image(const Grid& grid, const TypeModel& entry, int nc, mpi::Sharing sharing)
    : grid_(grid), point_bytes_(entry.extent_bytes * std::max(nc, 1)) {
  for (int i = 0; i < std::max(nc, 1); ++i) {
    for (const std::int64_t byte : entry.bytes) {
      data_.push_back(i * entry.extent_bytes + byte);
    }
  }
  const std::int64_t lowest = std::min<std::int64_t>(0, *std::min_element(data_.begin(), data_.end()));
  const std::int64_t highest = *std::max_element(data_.begin(), data_.end());
  const std::int64_t end = std::max(grid.points() * point_bytes_, (grid.points() - 1) * point_bytes_ + highest + 1);
  front_ = guard_bytes - lowest / guard_bytes * guard_bytes + (lowest < 0 ? guard_bytes : 0);
  blank_.resize(static_cast<std::size_t>(front_ + end + guard_bytes));
  for (std::size_t i = 0; i < blank_.size(); ++i) {
    blank_[i] = static_cast<std::byte>(0xA5U ^ (i * 7U));
  }
  memory_ = mpi::ArrayMemory::make(blank_.size(), sharing);
}

void Image::fill(int rank, int round) {
  std::copy(blank_.begin(), blank_.end(), memory_->data());
  const std::int64_t points = grid_.points();
  for (std::int64_t point = 0; point < points; ++point) {
    write(point, rank, point, round);
  }
}

void Image::write(std::int64_t point, int owner, std::int64_t owner_point, int round) {
  const std::uint64_t value = point_value(owner, owner_point, round);
  std::byte* const place = memory_->data() + front_ + point * point_bytes_;
  for (std::size_t byte = 0; byte < data_.size(); ++byte) {
    place[data_[byte]] = static_cast<std::byte>((value >> (byte % 8 * 8)) ^ (byte / 8 * 37));
  }
}

std::string Image::describe(std::size_t offset) const {
  const auto address = static_cast<std::int64_t>(offset) - front_;
  const std::int64_t points = grid_.points();
  for (std::size_t byte = 0; byte < data_.size(); ++byte) {
    const std::int64_t start = address - data_[byte];
    if (start >= 0 && start % point_bytes_ == 0 && start / point_bytes_ < points) {
      std::string extents;
      for (const int extent : grid_.dims) {
        extents += (extents.empty() ? "" : "x") + std::to_string(extent);
      }
      return text("data byte ", byte, " of grid point ", start / point_bytes_, " of ", extents);
    }
  }
  return text("byte ", address, address < 0 || address >= points * point_bytes_ ? " outside the array" : ", a hole");
}

}  // namespace adcl::test
