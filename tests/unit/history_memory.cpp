// The history in memory: entries by problem and settings, and the limit of their number.
#include "history/store.hpp"

#include <gtest/gtest.h>

#include <string>

namespace adcl::history {
namespace {

Entry entry_of(std::uint64_t problem) {
  Entry entry;
  entry.identity = {"neighborhood", problem, "a processor", false, {"A", "B"}};
  entry.problem = "problem " + std::to_string(problem);
  return entry;
}

Decision won_by(const std::string& winner) {
  Decision decision;
  decision.winner = winner;
  decision.winner_s = 1e-6;
  return decision;
}

TEST(HistoryMemory, FindsEntriesByProblemAndSettings) {
  Memory memory;
  const Entry entry = entry_of(7);
  EXPECT_FALSE(memory.find(entry.identity, 1).has_value());
  memory.add(entry, 1, "start", won_by("A"), Outcome::decided);
  memory.add(entry, 1, "init", won_by("B"), Outcome::decided);
  const auto known = memory.find(entry.identity, 1);
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->decisions.at("start").winner, "A");
  EXPECT_EQ(known->decisions.at("init").winner, "B");
  EXPECT_FALSE(memory.find(entry.identity, 2).has_value());
  EXPECT_FALSE(memory.find(entry_of(8).identity, 1).has_value());
  EXPECT_EQ(memory.all_of("neighborhood", 1).size(), 1U);
  EXPECT_TRUE(memory.all_of("neighborhood", 2).empty());
  EXPECT_TRUE(memory.all_of("allreduce", 1).empty());
}

TEST(HistoryMemory, CountsDecisionsAndConfirmations) {
  Memory memory;
  const Entry entry = entry_of(7);
  memory.add(entry, 1, "start", won_by("A"), Outcome::decided);
  memory.add(entry, 1, "start", won_by("A"), Outcome::refined);
  memory.add(entry, 1, "start", won_by("A"), Outcome::confirmed);
  memory.add(entry, 1, "start", won_by("B"), Outcome::decided);
  const Decision known = memory.find(entry.identity, 1)->decisions.at("start");
  EXPECT_EQ(known.winner, "B");
  EXPECT_EQ(known.decisions, 2);
  EXPECT_EQ(known.confirmations, 0) << "confirmations of another winner";
}

TEST(HistoryMemory, ConfirmationOfAnotherWinnerIsADecision) {
  Memory memory;
  const Entry entry = entry_of(7);
  memory.add(entry, 1, "start", won_by("A"), Outcome::decided);
  memory.add(entry, 1, "start", won_by("B"), Outcome::confirmed);
  const Decision known = memory.find(entry.identity, 1)->decisions.at("start");
  EXPECT_EQ(known.winner, "B");
  EXPECT_EQ(known.decisions, 2);
  EXPECT_EQ(known.confirmations, 0);
}

TEST(HistoryMemory, RemovesTheLeastRecentlyAddedEntry) {
  Memory memory;
  for (std::uint64_t problem = 0; problem < Memory::capacity; ++problem) {
    memory.add(entry_of(problem), 1, "start", won_by("A"), Outcome::decided);
  }
  memory.add(entry_of(0), 1, "start", won_by("A"), Outcome::confirmed);
  memory.add(entry_of(1000), 1, "start", won_by("A"), Outcome::decided);
  EXPECT_EQ(memory.all_of("neighborhood", 1).size(), Memory::capacity);
  EXPECT_TRUE(memory.find(entry_of(0).identity, 1).has_value());
  EXPECT_FALSE(memory.find(entry_of(1).identity, 1).has_value());
  EXPECT_TRUE(memory.find(entry_of(1000).identity, 1).has_value());
}

}  // namespace
}  // namespace adcl::history
