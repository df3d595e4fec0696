// The kind of times that a search uses, depending on the option and the location of the ranks.
#include "tuner/search_timing.hpp"

#include <gtest/gtest.h>

namespace adcl::runtime {
namespace {

constexpr bool one_node = true;
constexpr bool several_nodes = false;

TEST(SearchTiming, ArrivalsNeedOneNode) {
  for (const bool runs_ahead : {false, true}) {
    const SearchTiming here(Timing::arrival, one_node, runs_ahead);
    EXPECT_TRUE(here.common_clock());
    EXPECT_FALSE(here.whole_blocks());
    const SearchTiming apart(Timing::arrival, several_nodes, runs_ahead);
    EXPECT_FALSE(apart.common_clock());
    EXPECT_EQ(apart.whole_blocks(), runs_ahead);
  }
}

TEST(SearchTiming, MeasuresBlocksIfRanksRunAhead) {
  for (const bool nodes : {one_node, several_nodes}) {
    EXPECT_TRUE(SearchTiming(Timing::nobarrier, nodes, true).whole_blocks());
    EXPECT_FALSE(SearchTiming(Timing::nobarrier, nodes, false).whole_blocks());
    EXPECT_FALSE(SearchTiming(Timing::nobarrier, nodes, true).common_clock());
    EXPECT_FALSE(SearchTiming(Timing::barrier, nodes, true).whole_blocks());
    EXPECT_FALSE(SearchTiming(Timing::barrier, nodes, true).common_clock());
  }
}

TEST(SearchTiming, IntervalsNeedTheOption) {
  SearchTiming intervals(Timing::interval, one_node, true);
  EXPECT_NE(intervals.intervals(), nullptr);
  EXPECT_FALSE(intervals.whole_blocks());
  EXPECT_TRUE(intervals.common_clock());
  EXPECT_TRUE(intervals.remark().empty());
  EXPECT_EQ(SearchTiming(Timing::arrival, one_node, true).intervals(), nullptr);
}

TEST(SearchTiming, SwitchesToOperationTimes) {
  for (const bool nodes : {one_node, several_nodes}) {
    for (const bool runs_ahead : {false, true}) {
      SearchTiming timing(Timing::interval, nodes, runs_ahead);
      timing.switch_to_operation_times(0.5);
      EXPECT_EQ(timing.intervals(), nullptr);
      EXPECT_EQ(timing.common_clock(), nodes);
      EXPECT_EQ(timing.whole_blocks(), !nodes && runs_ahead);
      EXPECT_NE(timing.remark().find("varies by 0.5"), std::string::npos) << timing.remark();
    }
  }
}

}  // namespace
}  // namespace adcl::runtime
