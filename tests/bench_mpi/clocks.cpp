// Tests clock models with scripted clocks: simulated time, clocks with a known offset and drift, and messages with
// random latency.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "clock_model.hpp"
#include "clock_sync.hpp"

namespace adcl::bench {
namespace {

TEST(OffsetOf, IsConsistentWithAllExchanges) {
  // The other clock is 10 s ahead. One exchange had a slow request, the other a slow reply.
  const std::array<Exchange, 2> exchanges{{{1.0, 11.5, 1.6}, {2.0, 12.1, 2.7}}};
  const Offset offset = offset_of(exchanges);
  EXPECT_NEAR(offset.offset_s, 10.0, 1e-12);
  EXPECT_NEAR(offset.uncertainty_s, 0.1, 1e-12);
  EXPECT_NEAR(offset.at_s, 1.3, 1e-12);
}

TEST(Fit, FindsLineThroughOffsets) {
  std::vector<Offset> offsets;
  for (int i = 0; i < 5; ++i) {
    offsets.push_back({100.0 + i, -3.0 + 2e-5 * i, 0.0});
  }
  const ClockModel model = fit(offsets);
  EXPECT_NEAR(model.drift, 2e-5, 1e-12);
  EXPECT_NEAR(model.reference(110.0), 110.0 - 3.0 + 2e-4, 1e-12);
  EXPECT_NEAR(model.own(model.reference(123.0)), 123.0, 1e-9);
}

TEST(Fit, HasNoDriftForOneOffset) {
  const std::array<Offset, 1> one{{{5.0, 0.25, 0.0}}};
  EXPECT_EQ(fit(one).drift, 0.0);
  EXPECT_EQ(fit(one).reference(7.0), 7.25);
}

struct Clock {
  double offset_s;
  double drift;
  [[nodiscard]] double at(double true_s) const { return true_s * (1.0 + drift) + offset_s; }
};

struct Message {
  double value;
  double arrives_s;  ///< true time
};

/// Messages in transit, by sender and receiver.
class Mailbox {
 public:
  void put(int from, int to, Message letter) {
    const std::lock_guard lock(mutex_);
    boxes_[{from, to}].push_back(letter);
    arrived_.notify_all();
  }
  Message take(int from, int to) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[{from, to}];
    arrived_.wait(lock, [&] { return !box.empty(); });
    const Message letter = box.front();
    box.pop_front();
    return letter;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::deque<Message>> boxes_;
};

/// A rank with simulated time. Its time advances when it pauses, and when a message arrives later than it started to
/// receive.
class ScriptedPeers final : public Peers {
 public:
  ScriptedPeers(int rank, Clock clock, Mailbox& post, unsigned seed)
      : rank_(rank), clock_(clock), post_(post), random_(seed) {}
  double now() override {
    true_s_ += reading_s;
    return clock_.at(true_s_);
  }
  void send(int rank, double seconds) override { post_.put(rank_, rank, {seconds, true_s_ + latency()}); }
  double receive(int rank) override {
    const Message letter = post_.take(rank, rank_);
    true_s_ = std::max(true_s_, letter.arrives_s);
    return letter.value;
  }
  void pause(double seconds) override { true_s_ += seconds; }
  [[nodiscard]] double true_s() const { return true_s_; }

  static constexpr double shortest_s = 1e-6;

 private:
  static constexpr double reading_s = 20e-9;
  double latency() { return shortest_s + std::exponential_distribution<>(1.0 / 0.5e-6)(random_); }

  int rank_;
  Clock clock_;
  Mailbox& post_;
  std::mt19937 random_;
  double true_s_ = 0.0;
};

struct Synchronized {
  ClockModel model;
  double true_s = 0.0;
  double remaining_s = 0.0;
};

std::vector<Synchronized> synchronize_all(const std::vector<Clock>& clocks, unsigned seed) {
  const int size = static_cast<int>(clocks.size());
  std::vector<Synchronized> results(clocks.size());
  Mailbox post;
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.emplace_back([&, rank] {
      const auto index = static_cast<std::size_t>(rank);
      ScriptedPeers peers(rank, clocks[index], post, seed + static_cast<unsigned>(rank));
      const ClockModel model = synchronize(peers, rank, size, SyncSettings{});
      results[index] = {model, peers.true_s(), remaining_error(peers, model, rank, size, 10)};
    });
  }
  for (std::thread& rank : ranks) {
    rank.join();
  }
  return results;
}

class Synchronize : public testing::TestWithParam<int> {};

TEST_P(Synchronize, RemovesOffsetAndDriftOfEveryClock) {
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937 random(seed);
  std::vector<Clock> clocks{{0.0, 0.0}};
  while (static_cast<int>(clocks.size()) < GetParam()) {
    clocks.push_back(
        {std::uniform_real_distribution<>(-1e3, 1e3)(random), std::uniform_real_distribution<>(-5e-5, 5e-5)(random)});
  }
  const auto results = synchronize_all(clocks, seed);
  double last_s = 0.0;
  for (const Synchronized& result : results) {
    last_s = std::max(last_s, result.true_s);
  }
  // At the end of the synchronization, and 0.1 s later: a drift of 50 us/s would then cause an error of 5 us.
  const double rounds = std::ceil(std::log2(GetParam()));
  for (const double true_s : {last_s, last_s + 0.1}) {
    for (std::size_t rank = 0; rank < clocks.size(); ++rank) {
      const double own = clocks[rank].at(true_s);
      EXPECT_NEAR(results[rank].model.reference(own), true_s, 0.5e-6 * std::max(1.0, rounds)) << "rank " << rank;
    }
  }
}

TEST_P(Synchronize, ReportsRemainingError) {
  std::vector<Clock> clocks;
  for (int rank = 0; rank < GetParam(); ++rank) {
    clocks.push_back({10.0 * rank, 1e-5 * rank});
  }
  const auto results = synchronize_all(clocks, 1);
  for (const Synchronized& result : results) {
    EXPECT_LT(result.remaining_s, ScriptedPeers::shortest_s);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Synchronize, testing::Values(1, 2, 3, 4, 5, 7, 8, 13));

}  // namespace
}  // namespace adcl::bench
