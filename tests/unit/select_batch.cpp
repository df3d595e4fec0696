// The common behavior of all selection logics: tickets, slots, missing times, drop, prime, amend.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "select/batch_search.hpp"
#include "unit/select_support.hpp"

namespace adcl::select {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

Code code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "");
    return error.code();
  }
  return Code::success;
}

/// Measures all candidates in one batch, each after two warm-ups.
class WithWarmUps final : public BatchSearch {
 public:
  using BatchSearch::BatchSearch;

 private:
  void advance() override {
    std::vector<Block> blocks;
    for (const int i : unmeasured()) {
      blocks.push_back({i, 2, measurements()});
    }
    blocks.empty() ? conclude("") : run(std::move(blocks));
  }
};

/// Runs the first candidate without counting it, then measures all candidates.
class OnlyWarmUps final : public BatchSearch {
 public:
  using BatchSearch::BatchSearch;

 private:
  void advance() override {
    if (!std::exchange(ran_, true)) {
      run({{0, 5, 0}});
    } else {
      measure_or_conclude(unmeasured(), "");
    }
  }
  bool ran_ = false;
};

TEST(BatchSearch, SkipsTheRestOfABlockWithoutSamples) {
  OnlyWarmUps search(plain(2), {}, parameters(3));
  search.begin();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(search.next().slot, -1);
  }
  EXPECT_FALSE(search.ready());
  EXPECT_EQ(search.skip(), 3);
  EXPECT_TRUE(search.ready());
  EXPECT_EQ(search.skip(), 0);
  EXPECT_EQ(search.next().slot, -1) << "during the agreement";
  search.absorb(search.pending());
  EXPECT_EQ(search.next().slot, 0);
}

TEST(BatchSearch, SingleCandidateWinsWithoutMeasurement) {
  for (const Logic& logic : table()) {
    World world(logic.name, {{"only", {aao, ddt, isend_irecv, waitall}}}, halo_attributes(), parameters(10));
    ASSERT_TRUE(world.first().verdict()) << logic.name;
    EXPECT_EQ(world.reason(), "only is the only candidate");
    EXPECT_FALSE(world.first().ready());
    EXPECT_TRUE(world.first().pending().empty());
    const Ticket ticket = world.first().next();
    EXPECT_EQ(ticket.candidate, 0);
    EXPECT_EQ(ticket.slot, -1);
  }
}

TEST(BatchSearch, RunsTheBestSoFarWithoutASlotAfterABatch) {
  World world("hypothesis", two_sided_codelets(), halo_attributes(), parameters(3));
  const Clock clock = [](int, int candidate, int) { return candidate == 2 ? 1.0 : 2.0; };
  world.batch(clock);
  Ticket ticket = world.first().next();
  EXPECT_EQ(ticket.candidate, 0) << "the first candidate, before the first agreement";
  EXPECT_EQ(ticket.slot, -1);
  world.agree();
  world.batch(clock);
  ticket = world.first().next();
  EXPECT_EQ(ticket.candidate, 2) << "the fastest of the first batch";
  EXPECT_EQ(ticket.slot, -1);
}

TEST(BatchSearch, ReducesEightNumbersPerBlock) {
  World world = brute_force(2, 3);
  const double times[] = {1.0, 2.0, 3.0, 4.0, 4.0, never};
  world.batch([&](int, int, int run) { return times[run]; });
  world.first().spend(0, 6.25);  // includes the operations
  world.first().spend(0, 0.25);
  EXPECT_EQ(world.first().pending(), (std::vector<double>{2.0, 2.0, 0.0, -3.0, 1.0, 1.0, 6.5, -0.5,  //
                                                          4.0, 4.0, 0.0, -2.0, 0.0, 4.0, 0.0, -0.0}));
}

TEST(BatchSearch, IgnoresTimesOfFutureTickets) {
  World world = brute_force(2, 3);
  const Ticket first = world.first().next();
  const Ticket forged{first.candidate, first.slot + 1, 0};
  EXPECT_FALSE(world.first().record(forged, 1.0));
  EXPECT_TRUE(world.first().record(first, 1.0));
  EXPECT_TRUE(world.first().record(world.first().next(), 1.0)) << "the same slot, handed out by now";
}

TEST(BatchSearch, KeepsTheFewestMeasurementsOfAnyRank) {
  World world = brute_force(2, 3, 2);
  world.run([](int rank, int candidate, int run) { return rank == 1 && candidate == 0 && run > 0 ? never : 1.0; });
  EXPECT_EQ(world.first().knowledge()[0].numbers.measurements, 1.0);
  EXPECT_EQ(world.first().knowledge()[1].numbers.measurements, 3.0);
}

TEST(BatchSearch, MeasuresACandidateAgainAfterMissingTimes) {
  World world = brute_force(3, 2, 2);
  const auto gaps = [](int rank, int candidate, int run) {
    return rank == 1 && candidate == 1 && run < 6 ? never : 3.0 - candidate;
  };
  EXPECT_EQ(world.batch(gaps), (std::vector<int>{0, 1, 2}));
  world.agree();
  ASSERT_FALSE(world.first().verdict());
  EXPECT_TRUE(std::isinf(world.first().knowledge()[1].judged_s));
  EXPECT_EQ(world.batch(gaps), (std::vector<int>{1}));
  world.agree();
  EXPECT_EQ(world.winner(), "c2");
  EXPECT_DOUBLE_EQ(world.first().knowledge()[1].judged_s, 2.0);
}

TEST(BatchSearch, RemovesACandidateAfterThreeFailedAttempts) {
  for (const Logic& logic : table()) {
    World world(logic.name, two_sided_codelets(), halo_attributes(), parameters(2), 2);
    const auto clock = [](int rank, int candidate, int) {
      return rank == 1 && candidate == 0 ? never : 1.0 + candidate;
    };
    EXPECT_EQ(world.run(clock), "IsIr_pair") << logic.name;
    EXPECT_EQ(world.measurements(0), 6) << "three attempts";
    EXPECT_NE(world.first().knowledge()[0].removed.find("no measurement of this codelet"), std::string::npos);
  }
}

TEST(BatchSearch, FirstCandidateWinsWithoutAnyTime) {
  for (const Logic& logic : table()) {
    World world(logic.name, two_sided_codelets(), halo_attributes(), parameters(2), 3);
    EXPECT_EQ(world.run([](int, int, int) { return never; }), "IsIr_aao") << logic.name;
    EXPECT_EQ(world.reason().substr(0, 63), "IsIr_aao is the first candidate; no candidate could be measured")
        << logic.name;
  }
}

TEST(BatchSearch, IgnoresNegativeAndNonFiniteTimes) {
  World world = brute_force(2, 4);
  const double times[] = {-1.0, std::numeric_limits<double>::infinity(), 5.0, -std::numeric_limits<double>::infinity()};
  world.batch([&](int, int candidate, int run) { return candidate == 0 ? times[run] : 6.0; });
  world.agree();
  EXPECT_EQ(world.winner(), "c0");
  EXPECT_EQ(world.first().knowledge()[0].numbers.measurements, 1.0);
  EXPECT_DOUBLE_EQ(world.first().knowledge()[0].judged_s, 5.0);
}

TEST(BatchSearch, IgnoresLateForeignAndRepeatedTimes) {
  World world = brute_force(2, 1);
  Search& search = world.first();
  const Ticket first = search.next();
  search.record({1, first.slot}, 0.001);
  search.record({0, -1}, 0.001);
  search.record({0, first.slot + 1}, 0.001);
  search.record({0, 1000000}, 0.001);
  const Ticket second = search.next();
  search.record(second, 2.0);
  world.agree();
  ASSERT_FALSE(search.verdict()) << "the first candidate has no time";
  search.record(first, 0.001);
  search.record(second, 0.001);
  const Ticket again = search.next();
  EXPECT_EQ(again.candidate, 0);
  EXPECT_GT(again.slot, second.slot);
  search.record(again, 3.0);
  world.agree();
  EXPECT_EQ(world.winner(), "c1");
  EXPECT_DOUBLE_EQ(search.knowledge()[0].judged_s, 3.0);
  EXPECT_DOUBLE_EQ(search.knowledge()[1].judged_s, 2.0);
  search.record(again, 0.001);
  EXPECT_EQ(world.winner(), "c1");
}

TEST(BatchSearch, AmendReplacesOnlyRecordedTimes) {
  World world = brute_force(2, 1);
  Search& search = world.first();
  const Ticket first = search.next();
  search.amend(first, 0.5);
  EXPECT_EQ(search.pending()[3], -0.0) << "nothing was recorded";
  search.record(first, 1.0);
  search.amend(first, 9.0);
  const Ticket second = search.next();
  search.record(second, 5.0);
  search.amend(second, -1.0);
  world.agree();
  EXPECT_EQ(world.winner(), "c1");
  EXPECT_DOUBLE_EQ(search.knowledge()[0].judged_s, 9.0);
  EXPECT_DOUBLE_EQ(search.knowledge()[1].judged_s, 5.0);
}

TEST(BatchSearch, DropDuringABlockSkipsTheRestOfTheBlock) {
  World world = brute_force(3, 4, 2);
  const Clock clock = constant({3.0, 1.0, 2.0});
  for (int i = 0; i < 5; ++i) {
    world.step(clock);
  }
  world.drop(1, "its window could not be made");
  EXPECT_EQ(world.batch(clock), (std::vector<int>{2}));
  world.agree();
  EXPECT_EQ(world.winner(), "c2");
  EXPECT_EQ(world.first().knowledge()[1].removed, "its window could not be made");
  EXPECT_EQ(world.first().knowledge()[1].numbers.measurements, 0.0);
}

TEST(BatchSearch, DropDuringWarmUpsSkipsOnlyThisBlock) {
  for (const int before : {0, 1, 2, 3}) {
    WithWarmUps search(plain(3), {}, parameters(3));
    search.begin();
    for (int i = 0; i < before; ++i) {
      search.record(search.next(), 1.0);
    }
    search.drop(0, "its window could not be made");
    std::vector<int> slots;
    while (!search.ready()) {
      const Ticket ticket = search.next();
      slots.push_back(ticket.slot);
      EXPECT_EQ(search.record(ticket, 3.0 - ticket.candidate), ticket.slot >= 0);
    }
    EXPECT_EQ(slots, (std::vector<int>{-1, -1, 3, 4, 5, -1, -1, 6, 7, 8})) << before;
    search.absorb(search.pending());
    ASSERT_TRUE(search.verdict());
    EXPECT_EQ(search.verdict()->winner, 2);
    EXPECT_EQ(search.knowledge()[1].numbers.measurements, 3.0);
  }
}

TEST(BatchSearch, DropDuringTheReductionKeepsTheLayout) {
  World world = brute_force(3, 2, 2);
  world.batch(constant({1.0, 2.0, 3.0}));
  const std::vector<double> reduced = world.reduced();
  world.drop(0, "out of memory");
  EXPECT_TRUE(world.first().ready());
  EXPECT_EQ(world.first().pending().size(), reduced.size());
  world.absorb(reduced);
  EXPECT_EQ(world.winner(), "c1");
}

TEST(BatchSearch, DropOfAllButOneEndsTheSearch) {
  World world = brute_force(3, 2);
  world.drop(2, "");
  EXPECT_FALSE(world.first().knowledge()[2].removed.empty());
  world.drop(2, "once more");
  world.drop(0, "no");
  EXPECT_EQ(world.winner(), "c1");
  EXPECT_EQ(world.reason(), "c1 is the only candidate left");
  world.absorb({1.0});
  EXPECT_EQ(world.winner(), "c1") << "results after the verdict are ignored";
  EXPECT_EQ(code_of([&] { world.first().drop(1, "the last"); }), Code::no_codelet);
  EXPECT_EQ(world.winner(), "c1");
}

TEST(BatchSearch, DropOfTheWinnerSelectsTheNextFastest) {
  World world = brute_force(3, 2, 2);
  world.run(constant({1.0, 3.0, 2.0}));
  world.drop(0, "its plan failed");
  EXPECT_EQ(world.winner(), "c2");
  EXPECT_NE(world.reason().find("the former winner 'c0' was dropped (its plan failed)"), std::string::npos);
  EXPECT_EQ(world.first().knowledge()[2].removed, "");
  EXPECT_EQ(world.first().next().candidate, 2);
}

TEST(BatchSearch, DropOfTheProvisionalWinnerSelectsAnother) {
  World world("model", plain(3), {}, parameters(3), 2);
  const Clock clock = constant({3e-6, 1e-6, 2e-6});
  for (int batches = 0; batches < 1000 && !world.first().provisional(); ++batches) {
    world.batch(clock);
    world.agree();
  }
  ASSERT_TRUE(world.first().provisional());
  const int winner = world.first().provisional()->winner;
  world.drop(winner, "its plan failed");
  ASSERT_TRUE(world.first().provisional());
  EXPECT_NE(world.first().provisional()->winner, winner);
}

TEST(BatchSearch, DropOfTheWinnerReactivatesRemovedCandidates) {
  World world("hypothesis", two_sided_codelets(), halo_attributes(), parameters(1));
  world.run(constant(product_times(two_sided_codelets(), {{1, 2}, {1, 3}, {1, 5, 5, 5}, {1, 1, 1, 1}})));
  ASSERT_EQ(world.winner(), "IsIr_aao");
  ASSERT_FALSE(world.first().knowledge()[1].removed.empty());
  world.drop(0, "failed");
  EXPECT_EQ(world.winner(), "IsIr_pair") << "the fastest measured candidate";
  EXPECT_EQ(world.first().knowledge()[1].removed, "");
}

TEST(BatchSearch, DoesNotMeasurePrimedCandidates) {
  World world = brute_force(3, 5, 2);
  std::vector<measure::Numbers> known(3);
  known[1] = {2.0, 2.0, 0.0, 30.0};
  world.prime(known);
  const Clock clock = constant({3.0, 0.1, 4.0});
  EXPECT_EQ(world.batch(clock), (std::vector<int>{0, 2}));
  world.agree();
  EXPECT_EQ(world.winner(), "c1");
  EXPECT_DOUBLE_EQ(world.first().knowledge()[1].judged_s, 2.0);
}

TEST(BatchSearch, MeasuresNothingIfAllCandidatesArePrimed) {
  for (const Logic& logic : table()) {
    const auto codelets = thesis_codelets();
    World world(logic.name, codelets, halo_attributes(), parameters(5));
    std::vector<measure::Numbers> known;
    for (std::size_t i = 0; i < codelets.size(); ++i) {
      const double seconds = i == 7 ? 0.5 : 1.0 + static_cast<double>(i);
      known.push_back({seconds, seconds, 0.0, 10.0});
    }
    world.prime(known);
    EXPECT_EQ(world.winner(), "SIr_pair_pack") << logic.name;
    EXPECT_EQ(world.first().next().slot, -1) << logic.name;
  }
}

TEST(BatchSearch, PrimeIgnoresInvalidTimes) {
  World world = brute_force(2, 1);
  world.prime({{never, 1.0, 0.0, 5.0}, {1.0, -1.0, 0.0, 5.0}});
  EXPECT_EQ(world.batch(constant({1.0, 2.0})), (std::vector<int>{0, 1}));
}

TEST(BatchSearch, RejectsInvalidCallsAndArguments) {
  World world = brute_force(2, 1);
  Search& search = world.first();
  EXPECT_EQ(code_of([&] { search.absorb(std::vector<double>(8)); }), Code::internal);
  EXPECT_EQ(code_of([&] { search.prime(std::vector<measure::Numbers>(3)); }), Code::argument);
  EXPECT_EQ(code_of([&] { search.drop(2, "x"); }), Code::argument);
  EXPECT_EQ(code_of([&] { search.drop(-1, "x"); }), Code::argument);
  search.next();
  EXPECT_EQ(code_of([&] { search.prime(std::vector<measure::Numbers>(2)); }), Code::state);
  search.next();
  EXPECT_EQ(code_of([&] { search.absorb(std::vector<double>(7)); }), Code::internal);
  EXPECT_EQ(code_of([] { World("brute_force", {}, {}, parameters(1)); }), Code::no_codelet);
  EXPECT_EQ(code_of([] { World("brute_force", plain(2), {}, parameters(0)); }), Code::option);
  EXPECT_EQ(code_of([] { World("hypothesis", plain(2), {}, parameters(1, 0)); }), Code::option);
  EXPECT_EQ(code_of([] { World("brute_force", plain(1000), {}, parameters(1000000)); }), Code::option);
  EXPECT_EQ(code_of([] { World("brute_force", plain(2), halo_attributes(), parameters(1)); }), Code::argument);
}

TEST(BatchSearch, FormatsDurations) {
  EXPECT_EQ(duration(0.0), "0 ns");
  EXPECT_EQ(duration(1.5e-9), "1.5 ns");
  EXPECT_EQ(duration(1.2345e-6), "1.23 us");
  EXPECT_EQ(duration(0.99996e-3), "1 ms");
  EXPECT_EQ(duration(0.25), "250 ms");
  EXPECT_EQ(duration(1.2), "1.2 s");
  EXPECT_EQ(duration(std::numeric_limits<double>::infinity()), "no time");
}

}  // namespace
}  // namespace adcl::select
