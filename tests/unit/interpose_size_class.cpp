// The size classes of the interposer, with scripted times: which sizes begin a search or a proof, and what it costs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interpose/size_class.hpp"

namespace adcl::interpose {
namespace {

using Verdict = SizeClass::Verdict;
using Step = SizeClass::Step;

constexpr double budget = 0.02;

/// The address identifies a size; the class never dereferences it.
const Search* id_of(std::size_t size) { return reinterpret_cast<const Search*>(8 * (size + 1)); }
Search* handle_of(std::size_t size) { return reinterpret_cast<Search*>(8 * (size + 1)); }

/// Sizes of a class in a program with a scripted duration of each call. Makes the same calls as a Search.
class Program {
 public:
  Program(std::size_t sizes, double native_s, std::int64_t bytes = 65536)
      : family(bytes), sizes_(sizes), native_s_(native_s) {
    family.set_budget(budget);
  }

  void call(std::size_t size) {
    One& one = sizes_[size];
    if (!one.known) {
      one.known = true;
      one.waits = true;
      family.enter(0);
    }
    ++one.calls;
    ++calls;
    family.count(id_of(size), 1, one.waits);
    family.sample(native_s_);
    while (one.waits) {
      const Step step = family.step(one.calls);
      if (step == Step::take_over) {
        stopped.insert(family.searching());
        family.stop(family.searching());
        continue;
      }
      if (step == Step::agree) {
        ++agreements;
        family.agree(native_s_);
        if (family.may_begin(one.calls)) {
          family.begin(handle_of(size), one.calls);
          family.spend(creation_s);
          one.waits = false;
          begun.push_back(size);
        }
      }
      if (step == Step::keep_native) {
        family.leave(one.calls);
        one.waits = false;
        native.insert(size);
      }
      break;
    }
  }

  /// Until the budget covers a request.
  [[nodiscard]] std::int64_t calls_per_request() const { return calls_that_pay(creation_s, budget, native_s_); }

  SizeClass family;
  std::vector<std::size_t> begun;
  std::set<std::size_t> native;
  std::set<const Search*> stopped;
  std::int64_t calls = 0;
  int agreements = 0;

 private:
  struct One {
    bool known = false;
    bool waits = false;
    std::int64_t calls = 0;
  };
  std::vector<One> sizes_;
  double native_s_;
};

TEST(SizeClass, BeginsWhenTheBudgetPaysForARequest) {
  for (const auto& [bytes, first] : {std::pair{0, 32}, {8, 128}, {4096, 128}, {8192, 32}}) {
    for (const double native_s : {1e-6, 1e-4, 1e-2, 1.0}) {
      Program program(1, native_s, bytes);
      while (program.begun.empty()) {
        program.call(0);
      }
      EXPECT_GE(program.calls, std::max<std::int64_t>(program.calls_per_request(), first));
      EXPECT_LE(program.calls, std::max<std::int64_t>(2 * program.calls_per_request(), 2 * first));
      EXPECT_EQ(program.family.verdict(), Verdict::searching);
    }
  }
}

TEST(SizeClass, FewCallsOfSmallBlocksNeedNoAgreement) {
  for (const auto& [bytes, agreements] : {std::pair{8, 0}, {65536, 2}}) {
    Program program(1, 1e-5, bytes);
    for (int i = 0; i < 127; ++i) {
      program.call(0);
    }
    EXPECT_EQ(program.agreements > 0, agreements > 0);
    EXPECT_LE(program.agreements, agreements);
    EXPECT_EQ(program.family.times_all(), false);
  }
}

TEST(SizeClass, AgreesRarely) {
  Program program(1, 1e-9);
  for (int i = 0; i < 1'000'000; ++i) {
    program.call(0);
  }
  EXPECT_LE(program.agreements, 5);
  EXPECT_TRUE(program.begun.empty());
}

/// While a size searches, the calls between two agreements on the time of a call at most double, once this time covers
/// a second request.
TEST(SizeClass, AgreesWhenTheCallsHaveDoubled) {
  Program program(2, 1e-4);
  while (program.calls < 2 * program.calls_per_request() || program.begun.empty()) {
    program.call(static_cast<std::size_t>(program.calls % 2));
  }
  std::int64_t last = program.calls;
  int agreements = program.agreements;
  for (const std::int64_t end = 16 * program.calls; program.calls < end;) {
    program.call(static_cast<std::size_t>(program.calls % 2));
    if (program.agreements != agreements) {
      agreements = program.agreements;
      last = program.calls;
    }
    ASSERT_LE(program.calls, 2 * last + 2);
  }
  EXPECT_EQ(program.begun.size(), 1U);
}

TEST(SizeClass, OneSizeSearches) {
  Program program(25, 1e-4);
  std::mt19937 random(1);
  for (int i = 0; i < 50'000; ++i) {
    program.call(random() % 25);
  }
  EXPECT_EQ(program.begun.size(), 1U);
  EXPECT_EQ(program.family.searching(), handle_of(program.begun.front()));
  EXPECT_TRUE(program.family.suggestion().empty());
}

TEST(SizeClass, AFrequentSizeSearches) {
  Program program(25, 1e-4);
  std::mt19937 random(2);
  for (int i = 0; i < 50'000; ++i) {
    program.call(random() % 2 == 0 ? 7 : random() % 25);
  }
  EXPECT_EQ(program.begun, std::vector<std::size_t>{7});
}

TEST(SizeClass, TheOthersProveTheWinner) {
  constexpr std::size_t sizes = 25;
  Program program(sizes, 1e-4);
  std::mt19937 random(3);
  while (program.begun.empty()) {
    program.call(random() % sizes);
  }
  program.family.win("Shm_Linear");
  EXPECT_EQ(program.family.verdict(), Verdict::won);
  EXPECT_EQ(program.family.suggestion(), "Shm_Linear");
  for (int i = 0; i < 100'000; ++i) {
    program.call(random() % sizes);
    // Never more than the budget, except for the request that began last.
    EXPECT_LE(static_cast<double>(program.begun.size()) * creation_s,
              budget * 1e-4 * static_cast<double>(program.calls));
  }
  EXPECT_EQ(std::set<std::size_t>(program.begun.begin(), program.begun.end()).size(), sizes);
  EXPECT_EQ(program.begun.size(), sizes);
}

TEST(SizeClass, RareSizesWait) {
  Program program(3, 1e-4);
  const auto calls = [&](int number) {
    for (int i = 0; i < number; ++i) {
      program.call(i % 500 == 0 ? 1 : 0);
    }
  };
  while (program.begun.empty()) {
    calls(500);
  }
  EXPECT_EQ(program.begun, std::vector<std::size_t>{0});
  program.family.win("Bruck");
  calls(40'000);  // 80 calls of the rare size take 8 ms
  EXPECT_EQ(program.begun.size(), 1U);
  calls(40'000);
  EXPECT_EQ(program.begun, (std::vector<std::size_t>{0, 1}));
}

TEST(SizeClass, ARejectionAppliesToAllSizes) {
  Program program(4, 1e-3);
  while (program.begun.empty()) {
    program.call(program.calls % 4);
  }
  const std::size_t first = program.begun.front();
  EXPECT_TRUE(program.family.refuse(id_of(first), "Ring", "not faster"));
  EXPECT_EQ(program.family.verdict(), Verdict::rejected);
  for (int i = 0; i < 1000; ++i) {
    program.call(static_cast<std::size_t>(i % 4));
  }
  EXPECT_EQ(program.begun.size(), 1U);
  EXPECT_EQ(program.native.size(), 3U);
  EXPECT_EQ(program.family.candidate(), "Ring");
  EXPECT_EQ(program.family.reason(), "not faster");
}

TEST(SizeClass, SeveralRejectionsOfAWinnerEndTheProofs) {
  Program program(8, 1e-3);
  std::size_t next = 0;
  const auto until_another = [&] {
    const std::size_t before = program.begun.size();
    for (int i = 0; i < 100'000 && program.begun.size() == before; ++i) {
      program.call(next++ % 8);
    }
    return program.begun.size() > before;
  };
  ASSERT_TRUE(until_another());
  program.family.win("Ring");
  ASSERT_TRUE(until_another());
  EXPECT_TRUE(program.family.refuse(id_of(program.begun.back()), "Ring", "not faster"));
  EXPECT_EQ(program.family.verdict(), Verdict::won);
  ASSERT_TRUE(until_another());
  EXPECT_TRUE(program.family.refuse(id_of(program.begun.back()), "Ring", "not faster"));
  ASSERT_TRUE(until_another());
  EXPECT_TRUE(program.family.refuse(id_of(program.begun.back()), "Ring", "not faster"));
  EXPECT_EQ(program.family.verdict(), Verdict::rejected);
  EXPECT_FALSE(until_another());
}

TEST(SizeClass, TheLastWithdrawalEndsTheProofs) {
  Program program(8, 1e-3);
  while (program.begun.size() < 1) {
    program.call(program.calls % 8);
  }
  program.family.win("Ring");
  program.family.win("Ring");
  program.family.withdraw("slower");
  EXPECT_EQ(program.family.verdict(), Verdict::won);
  program.family.withdraw("slower");
  EXPECT_EQ(program.family.verdict(), Verdict::rejected);
  EXPECT_EQ(program.family.reason(), "slower");
}

TEST(SizeClass, AnEarlierWinnerIsProvedFirst) {
  Program program(2, 1e-3);
  program.family.suggest("Bruck");
  EXPECT_EQ(program.family.suggestion(), "Bruck");
  while (program.begun.empty()) {
    program.call(0);
  }
  EXPECT_EQ(program.family.suggestion(), "Bruck");
  EXPECT_FALSE(program.family.refuse(id_of(0), "Bruck", "not faster"));
  EXPECT_EQ(program.family.verdict(), Verdict::open);
  EXPECT_TRUE(program.family.suggestion().empty());
  for (int i = 0; i < 1000 && program.begun.size() < 2; ++i) {
    program.call(1);
  }
  EXPECT_EQ(program.begun, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(program.family.verdict(), Verdict::searching);
}

TEST(SizeClass, AnotherSizeTakesOverFromARareOne) {
  Program program(2, 1e-3);
  while (program.begun.empty()) {
    program.call(0);
  }
  for (int i = 0; i < 10'000; ++i) {
    program.call(1);
  }
  EXPECT_EQ(program.begun, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(program.stopped, std::set<const Search*>{id_of(0)});
  EXPECT_EQ(program.family.searching(), handle_of(1));
}

TEST(SizeClass, AFrequentSearcherIsNotReplaced) {
  Program program(2, 1e-3);
  while (program.begun.empty()) {
    program.call(0);
  }
  for (int i = 0; i < 100'000; ++i) {
    program.call(static_cast<std::size_t>(i % 4 == 0 ? 0 : 1));
  }
  EXPECT_TRUE(program.stopped.empty());
}

TEST(SizeClass, FastCandidatesPayBackTheCostOfSlowOnes) {
  SizeClass family(65536);
  family.set_budget(budget);
  family.enter(0);
  family.count(id_of(0), 1000, true);
  for (int i = 0; i < 4; ++i) {
    family.sample(1e-3);
  }
  family.agree(1e-3);  // the calls took a second and pay for 20 ms
  family.spend(0.03);
  EXPECT_FALSE(family.paid());
  family.spend(-0.011);
  EXPECT_TRUE(family.paid());
  family.spend(-1.0);  // no credit for later costs
  family.spend(0.021);
  EXPECT_FALSE(family.paid());
}

TEST(SizeClass, WaitsForItsShareOfTheCalls) {
  SizeClass family(65536);
  family.set_budget(budget);
  family.enter(0);
  family.enter(0);
  family.count(id_of(0), 900, true);
  family.count(id_of(1), 100, true);
  for (int i = 0; i < 4; ++i) {
    family.sample(1e-3);
  }
  family.agree(1e-3);
  EXPECT_TRUE(family.paid());
  family.spend(0.03);  // 1000 calls of 1 ms pay for 0.02 s
  EXPECT_FALSE(family.paid());
  EXPECT_EQ(family.calls_until_paid(900), 450);
  EXPECT_EQ(family.calls_until_paid(100), 50);
  family.count(id_of(0), 500, true);
  EXPECT_TRUE(family.paid());
  EXPECT_EQ(family.calls_until_paid(1400), 0);
}

TEST(SizeClass, AFewSamplesDoNotReplaceTheTime) {
  SizeClass family(65536);
  family.set_budget(budget);
  family.count(id_of(0), 32, true);
  for (int i = 0; i < 32; ++i) {
    family.sample(1e-3);
  }
  EXPECT_DOUBLE_EQ(family.mean_of_samples(), 1e-3);
  family.agree(1e-3);
  family.sample(1.0);
  family.count(id_of(0), 1, true);
  family.agree(1.0);
  EXPECT_DOUBLE_EQ(family.native_s(), 1e-3);
}

TEST(SizeClass, DeferredSizesBeginLater) {
  Program program(1, 1.0);
  while (program.begun.empty()) {
    program.family.defer();
    program.call(0);
    ASSERT_LT(program.calls, 100);
    if (program.calls == 64) {
      EXPECT_TRUE(program.begun.empty());
      break;
    }
  }
  for (int i = 0; i < 200 && program.begun.empty(); ++i) {
    program.call(0);
  }
  EXPECT_GE(program.calls, 2 * 63);
  EXPECT_EQ(program.begun.size(), 1U);
}

}  // namespace
}  // namespace adcl::interpose
