// Candidates that can no longer run. tests/capi/codelet_fails.c tests the agreement of the ranks.
#include "tuner/fates.hpp"

#include <gtest/gtest.h>

namespace adcl::runtime {
namespace {

constexpr ModeCandidate candidate_0{0};
constexpr ModeCandidate candidate_1{1};
constexpr ModeCandidate candidate_2{2};

TEST(Fates, AllCandidatesCanRunAtFirst) {
  const Fates fates(3);
  EXPECT_FALSE(fates.dropped(candidate_0) || fates.dropped(candidate_1) || fates.dropped(candidate_2));
  EXPECT_TRUE(fates.has_alternative());
  EXPECT_FALSE(fates.is_last(candidate_0));
  EXPECT_EQ(fates.flag(), 0.0);
}

TEST(Fates, ADroppedCandidateKeepsItsReasonAndNoOther) {
  Fates fates(3);
  fates.drop(candidate_1, "no window");
  EXPECT_TRUE(fates.dropped(candidate_1));
  EXPECT_EQ(fates.all_dropped(), (std::map<ModeCandidate, std::string>{{candidate_1, "no window"}}));
}

TEST(Fates, ACandidateThatWasDroppedWithoutAReasonIsDropped) {
  Fates fates(2);
  fates.drop(candidate_0, "");
  EXPECT_TRUE(fates.dropped(candidate_0));
  EXPECT_TRUE(fates.is_last(candidate_1));
}

TEST(Fates, TheLastOneHasNoAlternative) {
  Fates fates(3);
  fates.drop(candidate_0, "a");
  EXPECT_TRUE(fates.has_alternative());
  EXPECT_FALSE(fates.is_last(candidate_1));
  fates.drop(candidate_2, "b");
  EXPECT_FALSE(fates.has_alternative());
  EXPECT_TRUE(fates.is_last(candidate_1));
}

TEST(Fates, ASingleCandidateIsTheLastOne) {
  const Fates fates(1);
  EXPECT_TRUE(fates.is_last(candidate_0));
  EXPECT_FALSE(fates.has_alternative());
}

TEST(Fates, AFailureIsFlaggedAndDropsNothing) {
  Fates fates(2);
  fates.fail(candidate_1, "code 7");
  EXPECT_EQ(fates.flag(), 1.0);
  EXPECT_FALSE(fates.dropped(candidate_1));
}

TEST(Fates, FailuresAreLeftToATimerOnce) {
  Fates fates(2);
  EXPECT_FALSE(fates.take_failure_of_parts());
  fates.fail(candidate_0, "code 7");
  fates.leave_to_timer();
  EXPECT_EQ(fates.flag(), 0.0);
  EXPECT_TRUE(fates.take_failure_of_parts());
  EXPECT_FALSE(fates.take_failure_of_parts());
}

}  // namespace
}  // namespace adcl::runtime
