// Tests which data the reader takes if two ranks reach a message in different orders.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "codelets/neighborhood/shared/direct_link.hpp"

namespace adcl::test {
namespace {

using codelets::DirectLink;

struct DirectLinks : testing::Test {
  static constexpr std::size_t bytes = 8;
  alignas(64) std::array<std::byte, DirectLink::memory_bytes(bytes)> memory{};
  DirectLink writer{memory.data()};
  DirectLink reader{memory.data()};

  void set_aside(std::uint64_t operation, std::uint64_t value) {
    writer.set_aside(operation, [&](std::byte* place) { std::memcpy(place, &value, bytes); });
  }
  [[nodiscard]] std::uint64_t aside() const {
    std::uint64_t value = 0;
    std::memcpy(&value, reader.aside(), bytes);
    return value;
  }
};

TEST_F(DirectLinks, CloseAfterTheArrayIsRead) {
  for (std::uint64_t operation = 1; operation <= 5; ++operation) {
    EXPECT_FALSE(reader.ready(operation));
    writer.open(operation);
    EXPECT_FALSE(writer.closed(operation));
    ASSERT_TRUE(reader.ready(operation));
    EXPECT_TRUE(reader.claim(operation));
    EXPECT_FALSE(writer.closed(operation));
    reader.mark_read(operation);
    EXPECT_TRUE(writer.closed(operation));
  }
}

TEST_F(DirectLinks, CloseAfterTheDataAreSetAside) {
  writer.open(1);
  set_aside(1, 11);
  EXPECT_TRUE(writer.closed(1));
  ASSERT_TRUE(reader.ready(1));
  EXPECT_FALSE(reader.claim(1));
  EXPECT_EQ(aside(), 11U);
}

TEST_F(DirectLinks, DoNotSetAsideAnArrayBeingRead) {
  writer.open(1);
  EXPECT_TRUE(reader.claim(1));
  set_aside(1, 11);
  EXPECT_FALSE(writer.closed(1));
  reader.mark_read(1);
  EXPECT_TRUE(writer.closed(1));
}

TEST_F(DirectLinks, WaitForAReaderThatClaimsDuringSettingAside) {
  writer.open(1);
  writer.set_aside(1, [&](std::byte* /*place*/) { EXPECT_TRUE(reader.claim(1)); });
  EXPECT_FALSE(writer.closed(1));
  reader.mark_read(1);
  EXPECT_TRUE(writer.closed(1));
}

TEST_F(DirectLinks, KeepDataAsideUntilTheyAreRead) {
  writer.open(1);
  set_aside(1, 11);
  ASSERT_TRUE(writer.closed(1));
  writer.open(2);
  ASSERT_TRUE(reader.ready(1));
  ASSERT_FALSE(reader.claim(1));
  set_aside(2, 22);
  EXPECT_FALSE(writer.closed(2)) << "the data of the first operation are still needed";
  EXPECT_EQ(aside(), 11U);
  reader.mark_read(1);
  set_aside(2, 22);
  EXPECT_TRUE(writer.closed(2));
  EXPECT_FALSE(reader.claim(2));
  EXPECT_EQ(aside(), 22U);
}

}  // namespace
}  // namespace adcl::test
