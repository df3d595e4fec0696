// Searches guided by similar problems: slow codelets are not tried, and wrong advice is dropped.
#include "select/guided.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "unit/select_support.hpp"

namespace adcl::select {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

/// A guided search on two ranks.
class Advised {
 public:
  Advised(const std::string& logic, const std::vector<double>& relative) {
    const Parameters own = with_own_options(parameters(10), find(logic));
    for (int rank = 0; rank < 2; ++rank) {
      ranks_.push_back(std::make_unique<Guided>(
          plain(static_cast<int>(relative.size())), relative, std::vector<double>{},
          [own, logic](auto candidates) { return find(logic).make(std::move(candidates), AttributeSet{}, own); }));
    }
  }

  Guided& rank(int r) { return *ranks_.at(static_cast<std::size_t>(r)); }
  [[nodiscard]] const std::set<int>& tried() const { return tried_; }

  /// Runs until the verdict, and returns the number of starts. Drops a candidate in \p broken when it is selected.
  int decide(const Clock& clock, const std::set<int>& broken = {}) {
    int starts = 0;
    while (!rank(0).verdict() && starts < 10000) {
      if (rank(0).ready()) {
        agree();
        continue;
      }
      const Ticket ticket = rank(0).next();
      const Ticket other = rank(1).next();
      EXPECT_EQ(ticket.candidate, other.candidate);
      EXPECT_EQ(ticket.slot, other.slot);
      if (broken.contains(ticket.candidate)) {
        rank(0).drop(ticket.candidate, "broken");
        rank(1).drop(ticket.candidate, "broken");
        continue;
      }
      if (ticket.slot >= 0) {
        EXPECT_GT(ticket.slot, last_slot_) << "a slot is used twice";
        last_slot_ = ticket.slot;
      }
      tried_.insert(ticket.candidate);
      for (int r = 0; r < 2; ++r) {
        rank(r).record(ticket, clock(r, ticket.candidate, starts));
      }
      ++starts;
    }
    return starts;
  }

 private:
  void agree() {
    std::vector<double> reduced = rank(0).pending();
    const std::vector<double> other = rank(1).pending();
    for (std::size_t i = 0; i < reduced.size(); ++i) {
      reduced[i] = std::max(reduced[i], other.at(i));
    }
    rank(0).absorb(reduced);
    rank(1).absorb(reduced);
  }

  std::vector<std::unique_ptr<Guided>> ranks_;
  std::set<int> tried_;
  int last_slot_ = -1;
};

TEST(WorthTrying, IncludesTheExpectedWinnerItsEqualsTheFirstAndTheUnknown) {
  EXPECT_EQ(worth_trying(std::vector{2.0, 1.0, 5.0, 1.05, unknown, infinity}), (std::vector{0, 1, 3, 4}));
}

TEST(WorthTrying, ExcludesAHopelessFirst) {
  EXPECT_EQ(worth_trying(std::vector{9.0, 1.0, 5.0, 4.0}), (std::vector{1, 3}));
}

TEST(WorthTrying, HasAtMostThreeEquals) {
  EXPECT_EQ(worth_trying(std::vector{1.0, 1.0, 1.01, 1.02, 1.03}), (std::vector{0, 1, 2}));
}

TEST(WorthTrying, HasAllWithoutAdvice) {
  EXPECT_EQ(worth_trying(std::vector{unknown, infinity, unknown}), (std::vector{0, 1, 2}));
}

class EachLogic : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, EachLogic, testing::Values("brute_force", "hypothesis", "factorial"),
                         [](const auto& all) { return all.param; });

TEST_P(EachLogic, TriesOnlyAdvisedCandidatesIfTheAdviceIsRight) {
  Advised search(GetParam(), {2.0, 4.0, 1.0, 6.0, infinity, 1.5});
  const Clock clock = constant({0.21, 0.4, 0.1, 0.6, 9.0, 0.15});

  search.decide(clock);

  ASSERT_TRUE(search.rank(0).verdict().has_value());
  EXPECT_EQ(search.rank(0).verdict()->winner, 2);
  EXPECT_EQ(search.tried(), (std::set{0, 2}));
  EXPECT_TRUE(search.rank(0).advised());
  EXPECT_NE(search.rank(0).knowledge()[3].removed.find("not tried"), std::string::npos);
  EXPECT_EQ(search.rank(0).knowledge()[3].numbers.measurements, 0.0);
  EXPECT_NE(search.rank(0).verdict()->reason.find("2 of 6 candidates were tried"), std::string::npos);
}

TEST_P(EachLogic, DropsContradictedAdvice) {
  Advised search(GetParam(), {2.0, 4.0, 1.0, 6.0, infinity, 1.5});
  const Clock clock = constant({0.2, 0.05, 0.5, 0.6, 9.0, 0.15});

  search.decide(clock);

  ASSERT_TRUE(search.rank(0).verdict().has_value());
  EXPECT_EQ(search.rank(0).verdict()->winner, 1);
  EXPECT_FALSE(search.rank(0).advised());
  EXPECT_NE(search.rank(0).verdict()->reason.find("were ignored: "), std::string::npos);
}

TEST_P(EachLogic, SearchesAllIfNoAdvisedCandidateCanRun) {
  Advised search(GetParam(), {2.0, 4.0, 1.0, 6.0, infinity, 1.5});

  search.decide(constant({0.2, 0.4, 0.1, 0.6, 9.0, 0.15}), {0, 2});

  ASSERT_TRUE(search.rank(0).verdict().has_value());
  EXPECT_EQ(search.rank(0).verdict()->winner, 5);
  EXPECT_FALSE(search.rank(0).advised());
  EXPECT_EQ(search.rank(0).knowledge()[2].removed, "broken");
}

TEST_P(EachLogic, IsShorterThanWithoutAdvice) {
  const Clock clock = constant({0.2, 0.4, 0.1, 0.6, 9.0, 0.15});
  Advised without(GetParam(), std::vector<double>(6, unknown));
  Advised with(GetParam(), {2.0, 4.0, 1.0, 6.0, infinity, 1.5});

  EXPECT_LT(with.decide(clock), without.decide(clock));
  EXPECT_EQ(without.rank(0).verdict()->winner, with.rank(0).verdict()->winner);
}

std::vector<Candidate> expecting(std::vector<double> log_times) {
  std::vector<Candidate> candidates = plain(static_cast<int>(log_times.size()));
  for (std::size_t i = 0; i < log_times.size(); ++i) {
    candidates[i].expected.log_time = log_times[i];
  }
  return candidates;
}

TEST(Guided, ReplacesPriorsByAdvice) {
  std::vector<Candidate> advised;
  const auto make = [&](std::vector<Candidate> candidates) {
    advised = candidates;
    return find("model").make(std::move(candidates), AttributeSet{}, with_own_options(parameters(10), find("model")));
  };
  // According to the priors, the first candidate wins. In similar problems, the second candidate was twice as fast as
  // the first, and the third candidate was not measured.
  const Guided guided(expecting({0.5, 1.5, 0.7}), {2.0, 1.0, unknown}, {}, make);
  ASSERT_EQ(advised.size(), 3U);
  EXPECT_NEAR(advised[0].expected.log_time - advised[1].expected.log_time, std::log(2.0), 1e-12);
  EXPECT_NEAR(advised[0].expected.log_time + advised[1].expected.log_time, 0.5 + 1.5, 1e-12)
      << "comparable with the priors";
  EXPECT_EQ(advised[2].expected.log_time, 0.7);
}

TEST(Guided, CorrectsPriorsOfCandidatesWithoutAdvice) {
  std::vector<Candidate> advised;
  const auto make = [&](std::vector<Candidate> candidates) {
    advised = candidates;
    return find("model").make(std::move(candidates), AttributeSet{}, with_own_options(parameters(10), find("model")));
  };
  // According to the priors, the third candidate takes exp(0.2) times as long as the second, which won. The similar
  // problem estimated twice that time.
  const Guided guided(expecting({0.5, 1.5, 1.7}), {2.0, 1.0, unknown}, {0.0, 0.0, std::log(2.0)}, make);
  ASSERT_EQ(advised.size(), 3U);
  EXPECT_NEAR(advised[2].expected.log_time - advised[1].expected.log_time, 0.2 + std::log(2.0), 1e-12);
  // A candidate without a prior has no correction.
  const Guided none(expecting({0.5, 1.5, unknown}), {2.0, 1.0, unknown}, {0.0, 0.0, 0.0}, make);
  EXPECT_TRUE(std::isnan(advised[2].expected.log_time));
}

TEST(Guided, KeepsAdviceIfTheWinnerHasNone) {
  const Parameters own = with_own_options(parameters(10), find("model"));
  std::vector<Candidate> candidates = expecting({1.0, 0.0, 2.5});
  for (Candidate& candidate : candidates) {
    candidate.expected.first = 5000.0;
  }
  Guided guided(candidates, {1.0, unknown, infinity}, {},
                [&](auto members) { return find("model").make(std::move(members), AttributeSet{}, own); });
  for (int i = 0; i < 100 && !guided.provisional(); ++i) {
    if (guided.ready()) {
      guided.absorb(guided.pending());
      continue;
    }
    const Ticket ticket = guided.next();
    EXPECT_EQ(ticket.candidate, 1) << "the candidate with the lowest prior";
    guided.record(ticket, 1.0e-6);
  }
  ASSERT_TRUE(guided.provisional().has_value());
  EXPECT_EQ(guided.provisional()->winner, 1);
  EXPECT_TRUE(guided.advised()) << guided.contradiction();
}

TEST(Guided, TriesAnExpectedWinnerWithASlowPrior) {
  const Parameters own = with_own_options(parameters(10), find("model"));
  std::vector<Candidate> candidates = expecting({0.0, 0.1, 2.5});
  for (Candidate& candidate : candidates) {
    candidate.expected.first = 50.0;
  }
  Guided guided(candidates, {1.3, 1.35, 1.0}, {},
                [&](auto members) { return find("model").make(std::move(members), AttributeSet{}, own); });
  std::set<int> tried;
  for (int i = 0; i < 2000 && !guided.verdict() && !guided.provisional(); ++i) {
    if (guided.ready()) {
      guided.absorb(guided.pending());
      continue;
    }
    const Ticket ticket = guided.next();
    tried.insert(ticket.candidate);
    guided.record(ticket, ticket.candidate == 2 ? 1.0e-6 : 1.3e-6);
  }
  EXPECT_TRUE(tried.contains(2));
  EXPECT_TRUE(guided.advised()) << guided.contradiction();
}

/// The first codelet is expected to take twice as long as the expected winner.
TEST(Guided, AcceptsRatiosUpToItsBounds) {
  for (const auto& [first_s, accepted] : {std::pair{0.59, true}, {0.61, false}, {0.135, true}, {0.131, false}}) {
    Advised search("brute_force", {2.0, 4.0, 1.0, 6.0, infinity, 1.5});
    search.decide(constant({first_s, 0.4, 0.1, 0.6, 9.0, 0.15}));
    EXPECT_EQ(search.rank(0).advised(), accepted) << first_s;
  }
}

TEST(Guided, AcceptsNumbersOfAnEarlierStage) {
  Advised search("brute_force", {2.0, 4.0, 1.0});
  Guided& one = search.rank(0);
  while (!one.ready()) {
    one.record(one.next(), 0.1);
  }
  const std::vector<double> posted = one.pending();
  one.drop(0, "broken");
  one.drop(2, "broken");
  one.absorb(posted);
  EXPECT_TRUE(one.verdict().has_value());
  EXPECT_EQ(one.verdict()->winner, 1);
}

TEST(Guided, RejectsInvalidCallsAndArguments) {
  const auto make = [](auto candidates) { return find("brute_force").make(std::move(candidates), {}, parameters(10)); };
  EXPECT_THROW(Guided(plain(2), {1.0}, {}, make), Error);
  EXPECT_THROW(Guided(plain(2), {1.0, 1.0}, {0.0}, make), Error);
  Guided search(plain(2), {1.0, 1.0}, {}, make);
  EXPECT_THROW(search.prime({}), Error);
  search.drop(0, "broken");
  EXPECT_THROW(search.drop(1, "broken"), Error);
}

}  // namespace
}  // namespace adcl::select
