// Intervals between consecutive starts of a request, with a scripted clock.
#include "tuner/intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace adcl::runtime {
namespace {

/// A program's iterations on one rank.
struct Program {
  Intervals intervals;
  Intervals::Clock clock;
  int slot = 0;
  std::vector<Intervals::Measurement> ended;

  /// An operation of a request of this search: \p preparation_s for plans, then \p seconds.
  select::Ticket operation(std::int64_t request, double seconds, double preparation_s = 0.0, int codelet = 0) {
    if (const auto measurement = intervals.start(request, clock)) {
      ended.push_back(*measurement);
    }
    prepare(preparation_s);
    clock.now_s += seconds;
    clock.operations_s += seconds;
    const select::Ticket ticket{codelet, intervals.joins() ? -1 : slot++, 0};
    EXPECT_TRUE(intervals.record_time(ticket, seconds));
    return ticket;
  }
  void prepare(double seconds) {
    clock.now_s += seconds;
    clock.preparation_s += seconds;
  }
  /// An operation of a request of another search.
  void other(double seconds) {
    clock.now_s += seconds;
    clock.operations_s += seconds;
  }
  void compute(double seconds) { clock.now_s += seconds; }
  [[nodiscard]] double last_s() const { return ended.back().seconds; }
};

TEST(Intervals, AMeasurementLastsUntilTheNextStart) {
  Program program;
  program.operation(1, 0.25);
  program.compute(1.0);
  program.operation(1, 0.5);
  ASSERT_EQ(program.ended.size(), 1U);
  EXPECT_TRUE(program.ended[0].valid);
  EXPECT_EQ(program.ended[0].ticket.slot, 0);
  EXPECT_DOUBLE_EQ(program.last_s(), 1.25);
  program.compute(1.0);
  program.operation(1, 0.25);
  EXPECT_DOUBLE_EQ(program.last_s(), 1.5);
}

TEST(Intervals, ExcludesPlansAndAgreements) {
  Program program;
  program.operation(1, 0.25, 7.0);
  program.compute(1.0);
  program.prepare(5.0);  // plans of another request
  program.operation(1, 0.25);
  EXPECT_DOUBLE_EQ(program.last_s(), 1.25);
}

TEST(Intervals, ReplacesALongPauseByTheUsualOne) {
  Program program;
  for (int i = 0; i < 40; ++i) {
    program.operation(1, 0.25);
    program.compute(i % 10 == 9 ? 500.0 : 1.0);
  }
  program.operation(1, 0.25);
  for (const auto& measurement : program.ended) {
    EXPECT_DOUBLE_EQ(measurement.seconds, 1.25);
  }
  EXPECT_LT(program.intervals.irregularity(), Intervals::max_irregularity);
}

TEST(Intervals, AdaptsToAnotherStepLength) {
  Program program;
  for (int i = 0; i < 80; ++i) {
    program.operation(1, 0.25);
    program.compute(i < 40 ? 1.0 : 10.0);
  }
  EXPECT_DOUBLE_EQ(program.last_s(), 10.25);
}

TEST(Intervals, BoundsOperationsOfOtherSearches) {
  Program program;
  for (int i = 0; i < 12; ++i) {
    program.operation(1, 0.25);
    program.other(i == 7 ? 50.0 : 0.5);
    program.compute(1.0);
  }
  program.operation(1, 0.25);
  for (const auto& measurement : program.ended) {
    EXPECT_DOUBLE_EQ(measurement.seconds, 1.75);
  }
}

TEST(Intervals, DoesNotBoundOwnOperations) {
  Program program;
  for (int i = 0; i < 12; ++i) {
    program.operation(1, 0.25);
    program.compute(1.0);
  }
  program.operation(1, 90.0);
  program.compute(1.0);
  program.operation(1, 0.25);
  EXPECT_DOUBLE_EQ(program.last_s(), 91.0);
}

TEST(Intervals, DoesNotBoundPausesOfACodelet) {
  Program program;
  for (int i = 0; i < 40; ++i) {
    const int codelet = i / 4 % 2;
    program.operation(1, 0.25, 0.0, codelet);
    program.compute(codelet == 0 ? 1.0 : 8.0);
    if (!program.ended.empty()) {
      const auto& last = program.ended.back();
      EXPECT_DOUBLE_EQ(last.seconds, last.ticket.candidate == 0 ? 1.25 : 8.25) << i;
    }
  }
  EXPECT_EQ(program.intervals.irregularity(), 0.0);
}

TEST(Intervals, RequestsOfTheSameSearchJoin) {
  Program program;
  for (int i = 0; i < 3; ++i) {
    program.operation(1, 0.25);
    EXPECT_FALSE(program.intervals.joins());
    program.operation(2, 0.5);
    EXPECT_TRUE(program.intervals.joins());
    program.operation(3, 0.5);
    program.compute(1.0);
  }
  ASSERT_EQ(program.ended.size(), 2U);
  EXPECT_DOUBLE_EQ(program.last_s(), 2.25);
  EXPECT_EQ(program.ended[1].request, 1);
  EXPECT_EQ(program.slot, 3);
}

TEST(Intervals, IsVoidIfAMemberStartsTwice) {
  Program program;
  program.operation(1, 0.25);
  program.compute(1.0);
  program.operation(2, 0.5);
  program.compute(1.0);
  program.operation(2, 0.5);
  ASSERT_EQ(program.ended.size(), 1U);
  EXPECT_FALSE(program.ended[0].valid);
  EXPECT_DOUBLE_EQ(program.last_s(), 0.75);  // the time of the operation
  program.compute(1.0);
  program.operation(2, 0.5);
  EXPECT_TRUE(program.ended[1].valid);
  EXPECT_DOUBLE_EQ(program.last_s(), 1.5);
}

TEST(Intervals, OneRequestPerExchangeIsIrregular) {
  Program program;
  for (int i = 0; i < 400; ++i) {
    program.operation(i, 0.25);
    program.compute(1.0);
  }
  EXPECT_FALSE(program.ended.empty());
  EXPECT_TRUE(std::isinf(program.intervals.irregularity()));
}

TEST(Intervals, AlternatingPausesAreIrregular) {
  Program program;
  for (int i = 0; i < 20; ++i) {
    program.operation(1, 0.25);
    program.compute(i % 2 == 0 ? 1.0 : 2.0);
  }
  EXPECT_NEAR(program.intervals.irregularity(), 1.0 / 1.25, 1e-9);
  EXPECT_GT(program.intervals.irregularity(), Intervals::max_irregularity);
}

TEST(Intervals, FewStartsAreNotIrregular) {
  Program program;
  for (int i = 0; i < 8; ++i) {
    program.operation(1, 0.25);
    program.compute(i % 2 == 0 ? 1.0 : 2.0);
  }
  EXPECT_EQ(program.intervals.irregularity(), 0.0);
}

TEST(Intervals, ApplicationTimeReplacesTheInterval) {
  Program program;
  const select::Ticket first = program.operation(1, 0.25);
  EXPECT_TRUE(program.intervals.replace(first));
  EXPECT_FALSE(program.intervals.replace(first));
  program.compute(1.0);
  program.operation(1, 0.25);
  EXPECT_TRUE(program.ended.empty());
}

TEST(Intervals, DiscardEndsTheMeasurement) {
  Program program;
  program.operation(1, 0.25);
  program.intervals.discard();
  EXPECT_FALSE(program.intervals.record_time({0, 1, 0}, 0.25));
  program.compute(100.0);
  program.operation(1, 0.25);
  EXPECT_TRUE(program.ended.empty());
}

TEST(Intervals, IsVoidWithSeveralCodelets) {
  Program program;
  program.operation(1, 0.25);
  program.operation(2, 0.25);
  program.intervals.invalidate();
  program.operation(1, 0.25);
  ASSERT_EQ(program.ended.size(), 1U);
  EXPECT_FALSE(program.ended[0].valid);
}

}  // namespace
}  // namespace adcl::runtime
