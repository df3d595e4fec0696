// Tests pieces of shared memory: one block has several pieces, each initially zero and with its own count of users.
#include "mpi/node_piece.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace adcl::mpi {
namespace {

TEST(NodePiece, SmallPiecesShareAMemoryAndDoNotOverlap) {
  const NodePiece first(100, NodeMemoryKind::anonymous);
  const NodePiece second(64, NodeMemoryKind::anonymous);
  EXPECT_EQ(first.handle().key, second.handle().key);
  EXPECT_EQ(second.offset() - first.offset(), 192U);
  EXPECT_EQ(second.data() - first.data(), 192);
}

TEST(NodePiece, ReusedSpaceIsZero) {
  const NodePiece kept(64, NodeMemoryKind::anonymous);  // keeps the memory
  {
    const NodePiece used(256, NodeMemoryKind::anonymous);
    std::fill_n(used.data(), 256, std::byte{7});
  }
  const NodePiece next(256, NodeMemoryKind::anonymous);
  EXPECT_TRUE(std::all_of(next.data(), next.data() + 256, [](std::byte b) { return b == std::byte{0}; }));
}

TEST(NodePiece, AFullMemoryCausesANewMemory) {
  std::vector<NodePiece> pieces;
  for (int i = 0; i < 70; ++i) {
    pieces.emplace_back(4096, NodeMemoryKind::anonymous);
    std::fill_n(pieces.back().data(), 4096, std::byte{1});
  }
  EXPECT_NE(pieces.front().handle().key, pieces.back().handle().key);
}

TEST(NodePiece, ALargePieceHasItsOwnMemory) {
  NodePiece large(200000, NodeMemoryKind::anonymous);
  const NodePiece small(64, NodeMemoryKind::anonymous);
  EXPECT_NE(large.handle().key, small.handle().key);
  EXPECT_EQ(large.offset(), 0U);
  const auto handle = large.handle();
  large.close(1);
  EXPECT_ANY_THROW(NodeMapping(handle, NodeMapping::Access::write));
  EXPECT_EQ(large.data()[199999], std::byte{0});
}

TEST(NodePiece, ClosingASmallPieceLeavesTheOthersOpen) {
  NodePiece first(64, NodeMemoryKind::anonymous);
  const NodePiece second(64, NodeMemoryKind::anonymous);
  first.close(1);
  EXPECT_NO_THROW(NodeMapping(second.handle(), NodeMapping::Access::write));
}

TEST(NodePiece, PiecesOfAMemoryShareOneMapping) {
  const NodePiece piece(64, NodeMemoryKind::anonymous);
  const auto mapping = map_memory(piece.handle(), NodeMapping::Access::write);
  EXPECT_EQ(mapping, map_memory(piece.handle(), NodeMapping::Access::write));
  piece.data()[3] = std::byte{42};
  EXPECT_EQ((mapping->data() + piece.offset())[3], std::byte{42});
}

TEST(NodePiece, SpaceIsReusedWhenAllUsersHaveLeft) {
  const NodePiece before(64, NodeMemoryKind::anonymous);
  const auto mapping = map_memory(before.handle(), NodeMapping::Access::write);
  std::size_t place = 0;
  {
    NodePiece piece(40000, NodeMemoryKind::anonymous);
    place = piece.offset();
    NodePiece::leave(*mapping, place);  // a user may leave before its count
    piece.close(2);
    std::fill_n(piece.data(), 40000, std::byte{7});
  }
  const NodePiece second(40000, NodeMemoryKind::anonymous);
  EXPECT_NE(second.offset(), place) << "a user still reads the piece";
  EXPECT_EQ((mapping->data() + place)[39999], std::byte{7});
  NodePiece::leave(*mapping, place);
  const NodePiece third(30000, NodeMemoryKind::anonymous);
  EXPECT_EQ(third.offset(), place);
  EXPECT_TRUE(std::all_of(third.data(), third.data() + 30000, [](std::byte b) { return b == std::byte{0}; }));
  const NodePiece fourth(9000, NodeMemoryKind::anonymous);
  EXPECT_EQ(fourth.offset(), place + 30080) << "in the rest of the free space";
}

TEST(NodePiece, AdjacentFreeSpaceIsMerged) {
  const NodePiece before(64, NodeMemoryKind::anonymous);
  std::size_t place = 0;
  {
    const NodePiece first(1000, NodeMemoryKind::anonymous);
    const NodePiece second(2000, NodeMemoryKind::anonymous);
    place = first.offset();
  }
  const NodePiece both(3000, NodeMemoryKind::anonymous);
  EXPECT_EQ(both.offset(), place);
}

TEST(NodePiece, KeptPiecesKeepAnEmptyMemory) {
  const auto key_of_next = [] { return NodePiece(64, NodeMemoryKind::anonymous).handle().key; };
  EXPECT_NE(key_of_next(), key_of_next());
  auto keeper = std::make_unique<KeptPieces>();
  const auto key = key_of_next();
  { const KeptPieces another; }
  EXPECT_EQ(key_of_next(), key);
  keeper.reset();
  EXPECT_NE(key_of_next(), key);
}

TEST(NodePiece, HeldBytesGrowByThePieceSize) {
  const std::size_t before = NodeMemory::held_bytes();
  {
    NodePiece piece(130, NodeMemoryKind::anonymous);
    EXPECT_EQ(NodeMemory::held_bytes() - before, 256U);
    const NodePiece moved(std::move(piece));
    EXPECT_EQ(NodeMemory::held_bytes() - before, 256U);
  }
  EXPECT_EQ(NodeMemory::held_bytes(), before);
}

}  // namespace
}  // namespace adcl::mpi
