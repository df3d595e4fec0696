// Ties in a verdict, and the report of a search.
#include <gtest/gtest.h>

#include <sstream>

#include "output/report.hpp"
#include "tuner/tuner.hpp"
#include "unit/select_support.hpp"

namespace adcl::select {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

TEST(Ties, AreWithinTwoPercent) {
  World world("brute_force", plain(4), {}, parameters(3));
  EXPECT_EQ(world.run(constant({1.03, 1.0, 1.015, 1.0})), "c1");
  EXPECT_EQ(world.first().verdict()->ties, (std::vector<int>{2, 3}));
}

TEST(Ties, AreEmptyIfTheWinnerIsClearlyFaster) {
  for (const char* logic : {"brute_force", "hypothesis"}) {
    World world(logic, plain(3), {}, parameters(10));
    EXPECT_EQ(world.run(constant({3.0, 1.0, 2.0})), "c1") << logic;
    EXPECT_TRUE(world.first().verdict()->ties.empty()) << logic;
  }
}

std::string words_of(const std::string& page) {
  std::string words;
  std::istringstream stream(page);
  for (std::string word; stream >> word;) {
    words += word + " ";
  }
  return words;
}

std::string report_of(World& world, const std::vector<Candidate>& candidates, double operations_s,
                      std::optional<Gain> gain = std::nullopt) {
  select::Subject subject{3, "neighborhood", std::string(150, 'x') + " points", {}, candidates};
  subject.names->push_back("pressure");
  subject.names->push_back("density");
  runtime::SearchSummary summary{subject, "start", &world.first(), {30, operations_s, 0.5}, 4, "brute_force"};
  summary.starts = 2000;
  summary.production = 1970;
  summary.gain = gain;
  return runtime::render(summary);
}

TEST(Report, IsAHundredColumnsWideAndHasGainAndCost) {
  std::vector<Candidate> candidates = plain(3);
  candidates[0].name = std::string(120, 'n');
  World world("brute_force", candidates, {}, parameters(3));
  world.run(constant({2.0, 1.0, 1.01}));
  const std::string page = report_of(world, candidates, 40.0, Gain{2.0, 1.94, 2.07, 12});
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100U) << line;
  }
  std::string letters = page;
  std::erase_if(letters, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_NE(letters.find(std::string(150, 'x') + "points"), std::string::npos) << "a long word is not split";
  const std::string words = words_of(page);
  for (const char* part :
       {"neighborhood #3 pressure, density, used by start on 4 ranks", "winner c1: c1 has",
        "ties c2: the measurements do not separate it from the winner", "gain 2.00 times as fast as nnn",
        "speedup 1.94 to 2.07 with 95 % confidence, 12 pairs of samples",
        "30 starts took 40 s, plans and agreements took 500 ms, on rank 0; together 10.5 s "
        "more than the same number of starts of the winner",
        "then 1970 starts in production", "* c1 1000000.00", "= c2 1010000.00"}) {
    EXPECT_NE(words.find(part), std::string::npos) << part << "\n" << page;
  }
}

TEST(Report, ShowsNoGainWithoutPairs) {
  World world("brute_force", plain(3), {}, parameters(3));
  world.run(constant({961.32, 1.0, 2.0}));
  EXPECT_NE(words_of(report_of(world, plain(3), 40.0)).find("gain not measured: fewer than 6 samples of c0"),
            std::string::npos);
  const std::string same = words_of(report_of(world, plain(3), 40.0, Gain{1.02, 0.97, 1.1, 9}));
  EXPECT_NE(same.find("gain no measurable difference from c0, the first of the table: speedup 0.97 to 1.10"),
            std::string::npos)
      << same;
}

TEST(Report, HasNoGainAndNoTiesWithoutAVerdict) {
  World world("brute_force", plain(2), {}, parameters(3));
  const std::string page = report_of(world, plain(2), 1.0);
  EXPECT_NE(page.find("none yet: the program ended while brute_force was searching"), std::string::npos) << page;
  EXPECT_EQ(page.find("gain"), std::string::npos);
  EXPECT_EQ(page.find("ties"), std::string::npos);
}

TEST(Report, ListsUntriedCandidatesInOneSentence) {
  const std::vector<Candidate> candidates = plain(30);
  World world("brute_force", candidates, {}, parameters(3));
  const std::string page = report_of(world, candidates, 1.0);
  const std::size_t found = page.find("   not tried: c0, c1, c2,");
  ASSERT_NE(found, std::string::npos) << page;
  EXPECT_NE(page.find(" c29\n", found), std::string::npos) << page;
  EXPECT_EQ(std::count(page.begin() + static_cast<std::ptrdiff_t>(found), page.end(), '\n'), 2) << page;
}

TEST(Report, LostTimeIsNotNegative) { EXPECT_EQ((SearchCost{10, 5.0, 0.0}).lost_s(1.0), 0.0); }

}  // namespace
}  // namespace adcl::select
