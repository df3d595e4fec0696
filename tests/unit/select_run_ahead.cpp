// Tests operations that a rank completes before other ranks start them: the network buffers the first operations, so
// their times do not predict the times of many consecutive starts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "select/batch_times.hpp"
#include "select/model/short_blocks.hpp"
#include "select_support.hpp"

namespace adcl::select::test {
namespace {

Parameters whole_blocks(int measurements = 10) {
  Parameters result = parameters(measurements);
  result.estimator = &measure::find("heuristic");
  result.whole_blocks = true;
  return result;
}

std::vector<double> maxima(const std::vector<double>& one, const std::vector<double>& other) {
  std::vector<double> result;
  std::transform(one.begin(), one.end(), other.begin(), std::back_inserter(result),
                 [](double a, double b) { return std::max(a, b); });
  return result;
}

TEST(WholeBlocks, HaveTheMeanOfTheSlowestRank) {
  const Parameters with = whole_blocks();
  BatchTimes root(false, true);
  BatchTimes leaf(false, true);
  root.begin({10, 1});
  leaf.begin({10, 1});
  for (int i = 0; i < 10; ++i) {
    root.record(i, i < 9 ? 0.5 : 45.5, 0.0);  // waits because the network is full
    leaf.record(i, 4.0, 0.0);
  }
  root.record(10, 1.0, 0.0);
  leaf.record(10, 2.0, 0.0);
  root.spend(0, 50.0 + 3.0);
  const auto results = root.combined(maxima(root.pending(with), leaf.pending(with)), with);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_DOUBLE_EQ(results[0].numbers.mean_s, 5.0);
  EXPECT_DOUBLE_EQ(results[0].numbers.filtered_mean_s, 5.0) << "the long execution is not an outlier";
  EXPECT_DOUBLE_EQ(results[0].numbers.outliers, 0.0);
  EXPECT_DOUBLE_EQ(results[0].numbers.measurements, 10.0);
  EXPECT_DOUBLE_EQ(results[0].shortest_s, 5.0) << "the mean, not the shortest execution";
  EXPECT_DOUBLE_EQ(results[0].spent_s, 53.0);
  EXPECT_DOUBLE_EQ(results[1].numbers.mean_s, 2.0);
}

TEST(WholeBlocks, HaveNoTimeIfARankHasNone) {
  const Parameters with = whole_blocks();
  BatchTimes one(false, true);
  BatchTimes other(false, true);
  one.begin({2});
  other.begin({2});
  one.record(0, 1.0, 0.0);
  const auto results = one.combined(maxima(one.pending(with), other.pending(with)), with);
  EXPECT_DOUBLE_EQ(results[0].numbers.measurements, 0.0);
}

TEST(WholeBlocks, BeginWithASynchronization) {
  for (const Logic& logic : table()) {
    for (const bool whole : {true, false}) {
      Parameters with = parameters(3);
      with.whole_blocks = whole;
      World world(logic.name, two_sided_codelets(), halo_attributes(), with);
      int last = -1;
      bool counted = false;
      while (!world.first().ready()) {
        const Ticket ticket = world.step([](int, int candidate, int) { return 1.0 + candidate; });
        const bool first = ticket.slot >= 0 && !(counted && ticket.candidate == last);
        EXPECT_EQ(ticket.synchronizes, whole && first) << logic.name;
        counted = ticket.slot >= 0;
        last = ticket.candidate;
      }
      EXPECT_FALSE(world.first().next().synchronizes) << "during the agreement";
    }
  }
}

/// A root that sends to another rank over a link that buffers `held` operations. Until the buffer is full, the root
/// completes immediately, and the other rank soon receives the data.
class Link {
 public:
  explicit Link(std::vector<double> costs) : costs_(std::move(costs)) {}

  void synchronize() { buffered_ = 0; }
  /// Times of both ranks.
  std::vector<double> operation(int candidate) {
    const double cost_s = costs_.at(static_cast<std::size_t>(candidate));
    const bool absorbed = candidate % 2 == 1 && buffered_++ < held;
    return {absorbed ? 5e-6 : cost_s, absorbed ? 20e-6 : cost_s};
  }

 private:
  static constexpr int held = 6;
  std::vector<double> costs_;
  int buffered_ = 0;
};

/// The best candidate so far after \p starts starts. Agreements also synchronize the ranks.
int leader(const std::string& logic, bool whole, const std::vector<double>& costs, int starts) {
  Parameters with = parameters(10);
  with.estimator = &measure::find("heuristic");
  with.whole_blocks = whole;
  World world(logic, plain(static_cast<int>(costs.size())), {}, with, 2);
  Link link(costs);
  for (int start = 0; start < starts && !world.first().verdict(); ++start) {
    if (world.first().ready()) {
      world.agree();
      link.synchronize();
    }
    Ticket ticket;
    for (int rank = 0; rank < 2; ++rank) {
      ticket = world.rank(rank).next();
    }
    if (ticket.synchronizes) {
      link.synchronize();
    }
    const std::vector<double> seconds = link.operation(ticket.candidate);
    for (int rank = 0; rank < 2; ++rank) {
      world.rank(rank).record(ticket, seconds.at(static_cast<std::size_t>(rank)));
      world.rank(rank).spend(ticket.candidate, seconds.at(static_cast<std::size_t>(rank)));
    }
  }
  if (const auto& verdict = world.first().verdict()) {
    return verdict->winner;
  }
  const auto& known = world.first().knowledge();
  const auto best = std::ranges::min_element(known, {}, &Knowledge::judged_s);
  return static_cast<int>(best - known.begin());
}

TEST(WholeBlocks, FindTheFastestOfConsecutiveStarts) {
  // Candidates with odd numbers let the root run ahead.
  const std::vector<double> costs = {400e-6, 900e-6, 300e-6, 800e-6, 350e-6};
  EXPECT_EQ(leader("model", true, costs, 400), 2);
  EXPECT_EQ(leader("model", false, costs, 400) % 2, 1) << "the first starts must be fast";
  EXPECT_EQ(leader("model", true, costs, 2000), 2);
  EXPECT_EQ(leader("brute_force", true, costs, 2000), 2);
}

TEST(WholeBlocks, AreLongerForShortOperations) {
  for (const double cost_s : {50e-6, 50e-3}) {
    World world("model", plain(3), {}, whole_blocks());
    const Clock clock = constant({cost_s, 1.1 * cost_s, 1.2 * cost_s});
    int longest = 0;
    for (int batch = 0; batch < 40 && !world.first().verdict(); ++batch) {
      const bool known = world.measurements(1) > 0;
      const int before = world.measurements(1);
      world.batch(clock);
      world.agree();
      const int more = world.measurements(1) - before;
      if (!known && more > 0) {
        EXPECT_EQ(more, cost_s < 1e-3 ? 4 : 2) << "the first trial, with " << cost_s;
      }
      longest = std::max(longest, more);
    }
    EXPECT_GE(longest, cost_s < 1e-3 ? 32 : 2) << cost_s;
  }
}

TEST(ShortBlocks, CorrectionIsTheMedianRatio) {
  ShortBlocks blocks;
  EXPECT_DOUBLE_EQ(blocks.correction(), 0.0);
  blocks.add(0.8);
  EXPECT_DOUBLE_EQ(blocks.correction(), 0.4) << "half of a single ratio";
  blocks.add(3.0);
  blocks.add(0.6);
  EXPECT_DOUBLE_EQ(blocks.correction(), 0.8);
  blocks.add(-2.0);
  blocks.add(-1.0);
  blocks.add(-1.5);
  EXPECT_DOUBLE_EQ(blocks.correction(), 0.0) << "not negative";
}

/// Operations of some milliseconds; the network buffers the first three after a synchronization, which take half the
/// time.
TEST(WholeBlocks, CorrectShortBlocksOfOtherCandidates) {
  const std::vector<double> costs = {8e-3, 10e-3, 10e-3, 10e-3, 10e-3, 10e-3, 10e-3, 10e-3, 10e-3};
  World world("model", plain(static_cast<int>(costs.size())), {}, whole_blocks(), 1);
  int in_a_row = 0;
  int others_lead = 0;
  for (int start = 0; start < 200 && !world.first().verdict(); ++start) {
    if (world.first().ready()) {
      world.agree();
    }
    const Ticket ticket = world.rank(0).next();
    in_a_row = ticket.synchronizes ? 0 : in_a_row + 1;
    const double seconds = costs.at(static_cast<std::size_t>(ticket.candidate)) * (in_a_row < 3 ? 0.5 : 1.0);
    world.rank(0).record(ticket, seconds);
    world.rank(0).spend(ticket.candidate, seconds);
    const auto& known = world.first().knowledge();
    const auto best = std::ranges::min_element(known, {}, &Knowledge::judged_s);
    others_lead += best == known.begin() ? 0 : 1;
  }
  EXPECT_LT(others_lead, 80) << "of 200 starts";
}

/// Three candidates stall once, because a lost packet costs 200 ms.
TEST(WholeBlocks, WithOneStallDoNotRuleOutSimilarCandidates) {
  World world("model", two_sided_codelets(), halo_attributes(), whole_blocks(), 1);
  std::vector<int> tried;
  for (int start = 0; start < 60 && !world.first().verdict(); ++start) {
    if (world.first().ready()) {
      world.agree();
    }
    const Ticket ticket = world.rank(0).next();
    const bool is_new = std::ranges::find(tried, ticket.candidate) == tried.end();
    if (is_new) {
      tried.push_back(ticket.candidate);
    }
    const bool stalls = ticket.synchronizes && tried.size() > 1 && tried.size() < 4 && ticket.candidate == tried.back();
    const double seconds = stalls ? 0.22 : 20e-3;
    world.rank(0).record(ticket, seconds);
    world.rank(0).spend(ticket.candidate, seconds);
  }
  EXPECT_GE(tried.size(), 6U);
}

}  // namespace
}  // namespace adcl::select::test
