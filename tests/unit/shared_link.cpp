// Tests how many operations a sender runs ahead of its receivers; no message is overwritten before it is read.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "codelets/shared_memory/shared_segment.hpp"

namespace adcl::test {
namespace {

using codelets::SharedLink;

/// A message for several receivers, each with its own cache line before the slots.
struct Message {
  Message(std::size_t message_bytes, std::size_t receivers)
      : bytes(message_bytes),
        memory(SharedLink::memory_bytes(bytes, receivers, SharedLink::slots_ahead(bytes)) / SharedLink::line_bytes) {
    std::byte* lines = memory.front().data;
    for (std::size_t i = 0; i < receivers; ++i) {
      std::byte* acknowledgement = lines + i * SharedLink::line_bytes;
      sender.emplace_back(acknowledgement, lines + receivers * SharedLink::line_bytes, bytes);
      receiver.emplace_back(acknowledgement, lines + receivers * SharedLink::line_bytes, bytes);
    }
  }

  [[nodiscard]] bool free(std::uint64_t operation) {
    bool all = true;
    for (SharedLink& link : sender) {
      all = link.free(operation) && all;
    }
    return all;
  }
  void send(std::uint64_t operation) {
    std::memset(sender.front().outgoing(operation), static_cast<int>(operation % 251), bytes);
    sender.front().publish(operation);
  }
  [[nodiscard]] bool has(std::size_t i, std::uint64_t operation) const {
    const std::vector<std::byte> expected(bytes, static_cast<std::byte>(operation % 251));
    return receiver[i].arrived(operation) && std::memcmp(receiver[i].incoming(operation), expected.data(), bytes) == 0;
  }

  struct alignas(64) Line {
    std::byte data[SharedLink::line_bytes] = {};
  };
  std::size_t bytes;
  std::vector<Line> memory;
  std::vector<SharedLink> sender;    ///< one for each receiver
  std::vector<SharedLink> receiver;  ///< one for each receiver, used by it
};

TEST(SharedLinks, HaveManySlotsOnlyForShortMessages) {
  EXPECT_EQ(SharedLink::slots_ahead(0), 16U);
  EXPECT_EQ(SharedLink::slots_ahead(8), 16U);
  EXPECT_EQ(SharedLink::slots_ahead(112), 16U);  // with the number, the message fills two cache lines
  EXPECT_EQ(SharedLink::slots_ahead(113), 8U);
  EXPECT_EQ(SharedLink::slots_ahead(1000), 2U);
  EXPECT_EQ(SharedLink::slots_ahead(std::size_t{1} << 30U), 2U);
}

TEST(SharedLinks, LetTheSenderRunAheadByAllSlots) {
  for (const std::size_t bytes : {8U, 200U, 5000U}) {
    Message message(bytes, 2);
    const std::uint64_t slots = SharedLink::slots_ahead(bytes);
    for (std::uint64_t operation = 1; operation <= slots; ++operation) {
      ASSERT_TRUE(message.free(operation)) << bytes << " bytes, operation " << operation;
      message.send(operation);
    }
    EXPECT_FALSE(message.free(slots + 1));
    message.receiver[0].release(1);
    EXPECT_FALSE(message.free(slots + 1)) << "one receiver has not read it";
    message.receiver[1].release(1);
    EXPECT_TRUE(message.free(slots + 1));
    EXPECT_FALSE(message.free(slots + 2));
  }
}

TEST(SharedLinks, KeepEachMessageUntilAllReadIt) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (const std::size_t bytes : {0U, 8U, 100U, 300U, 1000U}) {
    Message message(bytes, 3);
    std::uint64_t sent = 0;
    std::vector<std::uint64_t> read(3, 0);
    for (int turn = 0; turn < 3000; ++turn) {
      const std::size_t who = random() % 4;
      if (who == 3) {
        if (message.free(sent + 1)) {
          message.send(++sent);
        }
      } else if (read[who] < sent) {
        ASSERT_TRUE(message.has(who, read[who] + 1)) << bytes << " bytes, receiver " << who;
        message.receiver[who].release(++read[who]);
      } else {
        ASSERT_FALSE(message.receiver[who].arrived(read[who] + 1));
      }
    }
    EXPECT_GT(sent, 100U);
  }
}

}  // namespace
}  // namespace adcl::test
