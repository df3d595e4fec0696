// Candidates that can no longer run. tests/capi/codelet_fails.c tests the agreement of the ranks.
#include "tuner/failures.hpp"

#include <gtest/gtest.h>

namespace adcl::runtime {
namespace {

constexpr ModeCandidate candidate_0{0};
constexpr ModeCandidate candidate_1{1};
constexpr ModeCandidate candidate_2{2};

TEST(Failures, AllCandidatesCanRunAtFirst) {
  const Failures failures(3);
  EXPECT_FALSE(failures.dropped(candidate_0) || failures.dropped(candidate_1) || failures.dropped(candidate_2));
  EXPECT_TRUE(failures.has_alternative());
  EXPECT_FALSE(failures.is_last(candidate_0));
  EXPECT_EQ(failures.flag(), 0.0);
}

TEST(Failures, DropStoresTheReason) {
  Failures failures(3);
  failures.drop(candidate_1, "no window");
  EXPECT_TRUE(failures.dropped(candidate_1));
  EXPECT_EQ(failures.all_dropped(), (std::map<ModeCandidate, std::string>{{candidate_1, "no window"}}));
}

TEST(Failures, DropsWithoutAReason) {
  Failures failures(2);
  failures.drop(candidate_0, "");
  EXPECT_TRUE(failures.dropped(candidate_0));
  EXPECT_TRUE(failures.is_last(candidate_1));
}

TEST(Failures, LastCandidateHasNoAlternative) {
  Failures failures(3);
  failures.drop(candidate_0, "a");
  EXPECT_TRUE(failures.has_alternative());
  EXPECT_FALSE(failures.is_last(candidate_1));
  failures.drop(candidate_2, "b");
  EXPECT_FALSE(failures.has_alternative());
  EXPECT_TRUE(failures.is_last(candidate_1));
}

TEST(Failures, SingleCandidateIsLast) {
  const Failures failures(1);
  EXPECT_TRUE(failures.is_last(candidate_0));
  EXPECT_FALSE(failures.has_alternative());
}

TEST(Failures, FailureSetsTheFlagOnly) {
  Failures failures(2);
  failures.fail(candidate_1, "code 7");
  EXPECT_EQ(failures.flag(), 1.0);
  EXPECT_FALSE(failures.dropped(candidate_1));
}

TEST(Failures, PassesFailuresToTimerOnce) {
  Failures failures(2);
  EXPECT_FALSE(failures.take_passed_to_timer());
  failures.fail(candidate_0, "code 7");
  failures.pass_to_timer();
  EXPECT_EQ(failures.flag(), 0.0);
  EXPECT_TRUE(failures.take_passed_to_timer());
  EXPECT_FALSE(failures.take_passed_to_timer());
}

}  // namespace
}  // namespace adcl::runtime
