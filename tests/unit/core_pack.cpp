// Compares regions and packing with a copy point by point.
#include "core/pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/region.hpp"
#include "support/random.hpp"

namespace adcl {
namespace {

constexpr std::uint64_t seed = 20;

/// Linear indices of a region's points in memory order; a list keeps its order.
std::vector<std::int64_t> points_of(const Region& region, const Grid& grid) {
  if (region.indexed) {
    return {region.points.begin(), region.points.end()};
  }
  std::vector<std::int64_t> points;
  const std::int64_t total = grid.points();
  for (std::int64_t point = 0; point < total; ++point) {
    std::int64_t rest = point;
    bool inside = true;
    for (std::size_t i = 0; i < grid.dims.size(); ++i) {
      const std::size_t d = grid.fortran_order ? i : grid.dims.size() - 1 - i;
      const auto position = static_cast<int>(rest % grid.dims[d]);
      rest /= grid.dims[d];
      inside = inside && position >= region.start[d] && position < region.start[d] + region.extent[d];
    }
    if (inside) {
      points.push_back(point);
    }
  }
  return points;
}

Grid random_grid(test::Random& random) {
  Grid grid{{}, random.one_in(2)};
  const int ndims = random.between(1, 4);
  for (int d = 0; d < ndims; ++d) {
    grid.dims.push_back(random.between(1, ndims == 4 ? 6 : 9));
  }
  return grid;
}

Region random_box(test::Random& random, const Grid& grid) {
  Region region;
  for (const int extent : grid.dims) {
    const bool whole = random.one_in(2);
    region.start.push_back(whole ? 0 : random.between(0, extent - 1));
    region.extent.push_back(whole ? extent : random.between(random.one_in(12) ? 0 : 1, extent - region.start.back()));
  }
  return region;
}

Region random_list(test::Random& random, const Grid& grid) {
  Region region;
  region.indexed = true;
  region.points.resize(static_cast<std::size_t>(grid.points()));
  std::iota(region.points.begin(), region.points.end(), 0);
  if (random.one_in(2)) {
    random.shuffle(region.points);
  }
  const auto drop = static_cast<std::ptrdiff_t>(random.next() % (region.points.size() + 1));
  region.points.erase(region.points.begin(), region.points.begin() + drop);
  return region;
}

/// A random element size in bytes: one size for each copy routine, and other sizes.
std::size_t random_element(test::Random& random) {
  return random.one_in(2) ? random.pick(std::vector<std::size_t>{1, 4, 8, 16})
                          : static_cast<std::size_t>(random.between(1, 140));
}

std::vector<unsigned char> numbered(std::size_t size, unsigned factor) {
  std::vector<unsigned char> bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<unsigned char>(test::mixed(i * factor + 1));
  }
  return bytes;
}

TEST(Grid, DistancesFollowTheStorageOrder) {
  EXPECT_EQ((Grid{{4, 5, 6}, false}.strides()), (std::vector<std::int64_t>{30, 6, 1}));
  EXPECT_EQ((Grid{{4, 5, 6}, true}.strides()), (std::vector<std::int64_t>{1, 4, 20}));
}

TEST(Grid, CountsBeyondTheRangeOfInt) {
  const Grid grid{{65536, 65536, 4}, false};
  EXPECT_EQ(grid.points(), std::int64_t{1} << 34);
  EXPECT_EQ(grid.strides()[0], std::int64_t{1} << 18);
  const Region region{{0, 0, 0}, {65536, 65536, 2}, {}, false};
  EXPECT_EQ(region.count(), std::int64_t{1} << 33);
  const Loops loops = loops_of({{65535, 0, 0}, {1, 65536, 4}, {}, false}, grid, 8);
  EXPECT_EQ(loops.offset_bytes, std::int64_t{65535} * 65536 * 4 * 8);
}

TEST(Loops, JoinContiguousDimensions) {
  const Grid c{{4, 5, 6}, false};
  const Grid fortran{{4, 5, 6}, true};
  EXPECT_TRUE(loops_of({{0, 0, 0}, {4, 5, 6}, {}, false}, c, 8).levels.empty());
  EXPECT_TRUE(loops_of({{2, 0, 0}, {1, 5, 6}, {}, false}, c, 8).levels.empty());
  EXPECT_TRUE(loops_of({{0, 0, 3}, {4, 5, 1}, {}, false}, fortran, 8).levels.empty());
  EXPECT_EQ(loops_of({{0, 0, 0}, {4, 5, 1}, {}, false}, c, 8).levels.size(), 1U);
  EXPECT_EQ(loops_of({{0, 0, 0}, {4, 2, 2}, {}, false}, c, 8).levels.size(), 2U);
}

TEST(Loops, MoveNothingForAnEmptyRegion) {
  const Loops loops = loops_of({{1, 2}, {0, 2}, {}, false}, {{4, 5}, false}, 8);
  EXPECT_EQ(loops.run_bytes, 0);
  EXPECT_TRUE(loops.levels.empty());
}

TEST(Packer, MovesExactlyTheRegion) {
  test::Random random(seed);
  for (int trial = 0; trial < 4000; ++trial) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", trial " + std::to_string(trial));
    const Grid grid = random_grid(random);
    const Region region = random.one_in(3) ? random_list(random, grid) : random_box(random, grid);
    const std::size_t element = random_element(random);
    const auto array = numbered(static_cast<std::size_t>(grid.points()) * element, 1);
    std::vector<unsigned char> expected;
    auto unpacked = numbered(array.size(), 5);
    auto expected_array = unpacked;
    for (const std::int64_t point : points_of(region, grid)) {
      const auto begin = static_cast<std::ptrdiff_t>(point) * static_cast<std::ptrdiff_t>(element);
      expected.insert(expected.end(), array.begin() + begin,
                      array.begin() + begin + static_cast<std::ptrdiff_t>(element));
      std::copy_n(array.begin() + begin, element, expected_array.begin() + begin);
    }

    const Packer packer(region, grid, static_cast<std::int64_t>(element));
    std::vector<unsigned char> packed(expected.size() + 1, 0xEE);
    packer.pack(array.data(), packed.data());
    packer.unpack(packed.data(), unpacked.data());

    ASSERT_EQ(packer.bytes(), static_cast<std::int64_t>(expected.size()));
    ASSERT_EQ(packed.back(), 0xEE) << "wrote beyond the buffer";
    packed.pop_back();
    ASSERT_EQ(packed, expected);
    ASSERT_EQ(unpacked, expected_array);
    if (packer.contiguous() && !expected.empty()) {
      ASSERT_EQ(std::memcmp(array.data() + packer.offset_bytes(), expected.data(), expected.size()), 0);
    }
  }
}

/// A region with the same number of points as \p region: often of the same shape elsewhere in a larger grid, otherwise
/// a list.
std::pair<Region, Grid> counterpart(test::Random& random, const Region& region, const Grid& grid) {
  Grid other{grid.dims, random.one_in(2) ? grid.fortran_order : !grid.fortran_order};
  const bool box = !region.indexed && !random.one_in(4);
  Region result;
  result.indexed = !box;
  if (box) {
    result.extent = region.extent;
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      other.dims[d] += random.between(0, 2);
      result.start.push_back(random.between(0, other.dims[d] - region.extent[d]));
    }
    return {result, other};
  }
  result.points.resize(static_cast<std::size_t>(other.points()));
  std::iota(result.points.begin(), result.points.end(), 0);
  if (random.one_in(2)) {
    random.shuffle(result.points);
  }
  result.points.resize(static_cast<std::size_t>(region.count()));
  return {result, other};
}

TEST(RegionCopy, EqualsPackingAndUnpacking) {
  test::Random random(seed);
  for (int trial = 0; trial < 4000; ++trial) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", trial " + std::to_string(trial));
    const Grid from_grid = random_grid(random);
    const Region from = random.one_in(4) ? random_list(random, from_grid) : random_box(random, from_grid);
    const auto [to, to_grid] = counterpart(random, from, from_grid);
    const auto element = static_cast<std::int64_t>(random_element(random));
    const auto source = numbered(static_cast<std::size_t>(from_grid.points() * element), 1);
    auto target = numbered(static_cast<std::size_t>(to_grid.points() * element), 5);
    auto expected = target;
    std::vector<unsigned char> packed(static_cast<std::size_t>(from.count() * element) + 1);
    Packer(from, from_grid, element).pack(source.data(), packed.data());
    Packer(to, to_grid, element).unpack(packed.data(), expected.data());

    const RegionCopy copy(from, from_grid, to, to_grid, element);
    copy.copy(source.data(), target.data());

    ASSERT_EQ(copy.bytes(), from.count() * element);
    ASSERT_EQ(target, expected);
  }
}

TEST(RegionCopy, CopiesNothingForAnEmptyRegion) {
  RegionCopy().copy(nullptr, nullptr);
  const Grid grid{{3, 4}, false};
  RegionCopy({{1, 1}, {0, 2}, {}, false}, grid, {{0, 0}, {2, 0}, {}, false}, grid, 8).copy(nullptr, nullptr);
}

TEST(Packer, DetectsContiguousRegions) {
  const Grid grid{{4, 6}, false};
  EXPECT_TRUE(Packer({{1, 0}, {2, 6}, {}, false}, grid, 8).contiguous());
  EXPECT_FALSE(Packer({{0, 0}, {2, 5}, {}, false}, grid, 8).contiguous());
  EXPECT_TRUE(Packer({{}, {}, {7, 8, 9}, true}, grid, 8).contiguous());
  EXPECT_FALSE(Packer({{}, {}, {8, 7, 9}, true}, grid, 8).contiguous());
  EXPECT_TRUE(Packer({{}, {}, {}, true}, grid, 8).contiguous());
}

}  // namespace
}  // namespace adcl
