// Pieces of shared memory: several in one memory, each zero at first, counted one by one.
#include "mpi/node_piece.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace adcl::mpi {
namespace {

TEST(NodePiece, SmallOnesShareAMemoryAndDoNotOverlap) {
  const NodePiece first(100, NodeMemoryKind::anonymous);
  const NodePiece second(64, NodeMemoryKind::anonymous);
  EXPECT_EQ(first.handle().key, second.handle().key);
  EXPECT_EQ(second.offset() - first.offset(), 128U);
  EXPECT_EQ(second.data() - first.data(), 128);
}

TEST(NodePiece, IsZeroAlsoWhereAnotherOneWasBefore) {
  const NodePiece kept(64, NodeMemoryKind::anonymous);  // so that the memory stays
  {
    const NodePiece used(256, NodeMemoryKind::anonymous);
    std::fill_n(used.data(), 256, std::byte{7});
  }
  const NodePiece next(256, NodeMemoryKind::anonymous);
  EXPECT_TRUE(std::all_of(next.data(), next.data() + 256, [](std::byte b) { return b == std::byte{0}; }));
}

TEST(NodePiece, AFullMemoryIsFollowedByAnotherOne) {
  std::vector<NodePiece> pieces;
  for (int i = 0; i < 20; ++i) {
    pieces.emplace_back(4096, NodeMemoryKind::anonymous);
    std::fill_n(pieces.back().data(), 4096, std::byte{1});
  }
  EXPECT_NE(pieces.front().handle().key, pieces.back().handle().key);
}

TEST(NodePiece, ALargeOneHasAMemoryForItself) {
  NodePiece large(100000, NodeMemoryKind::anonymous);
  const NodePiece small(64, NodeMemoryKind::anonymous);
  EXPECT_NE(large.handle().key, small.handle().key);
  EXPECT_EQ(large.offset(), 0U);
  const auto handle = large.handle();
  large.close();
  EXPECT_ANY_THROW(NodeMapping(handle, NodeMapping::Access::write));
  EXPECT_EQ(large.data()[99999], std::byte{0});
}

TEST(NodePiece, ClosingASmallOneLeavesTheOthersOpen) {
  NodePiece first(64, NodeMemoryKind::anonymous);
  const NodePiece second(64, NodeMemoryKind::anonymous);
  first.close();
  EXPECT_NO_THROW(NodeMapping(second.handle(), NodeMapping::Access::write));
}

TEST(NodePiece, IsSeenThroughTheMappingOfItsMemoryWhichIsMadeOnce) {
  const NodePiece piece(64, NodeMemoryKind::anonymous);
  const auto mapping = map_memory(piece.handle(), NodeMapping::Access::write);
  EXPECT_EQ(mapping, map_memory(piece.handle(), NodeMapping::Access::write));
  piece.data()[3] = std::byte{42};
  EXPECT_EQ((mapping->data() + piece.offset())[3], std::byte{42});
}

TEST(NodePiece, CountsAsHeldByItsOwnSize) {
  const std::size_t before = NodeMemory::held_bytes();
  {
    NodePiece piece(130, NodeMemoryKind::anonymous);
    EXPECT_EQ(NodeMemory::held_bytes() - before, 192U);
    const NodePiece moved(std::move(piece));
    EXPECT_EQ(NodeMemory::held_bytes() - before, 192U);
  }
  EXPECT_EQ(NodeMemory::held_bytes(), before);
}

}  // namespace
}  // namespace adcl::mpi
