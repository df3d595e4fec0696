// The history of the interposer: results stay in memory until the end, and the file system never delays a program.
#include "history/deferred.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.hpp"

namespace adcl::history {
namespace {

namespace fs = std::filesystem;

bool always() { return true; }
bool never() { return false; }

class DeferredHistory : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "adcl-deferred-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  static Entry entry(std::uint64_t problem) {
    Entry made;
    made.identity = {"alltoall", problem, "A processor", false, {"Native", "Bruck"}};
    made.problem = "alltoall of 8 bytes";
    made.features = {{"pattern", "alltoall"}, {"block_bytes", 8.0}};
    return made;
  }
  static Decision decision(const std::string& winner) {
    Decision made;
    made.winner = winner;
    made.winner_s = 1e-6;
    made.estimates = {{winner, {1e-6, 1e-6, 0.0, 10.0, 0.0}, 1e-6}};
    made.decided = "2026-11-23T22:40:11Z";
    return made;
  }

  std::string folder_;
};

TEST_F(DeferredHistory, WritesNothingBeforeTheFlush) {
  Deferred history(folder_ + "/made/when/missing");
  history.add(entry(1), "start", decision("Bruck"), Outcome::decided);
  EXPECT_TRUE(fs::is_empty(folder_));
  const auto found = history.find(entry(1).identity).entry;
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->decisions.at("start").winner, "Bruck");
  EXPECT_EQ(history.found(), 0);

  const Stored stored = history.flush(0.1, always);
  EXPECT_EQ(stored.trouble, "");
  EXPECT_EQ(stored.problems, 1);
  const auto read = find(folder_ + "/made/when/missing", entry(1).identity).entry;
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->features.size(), 2U);
  EXPECT_EQ(history.flush(0.1, always).problems, 0);
}

TEST_F(DeferredHistory, KeepsTheDecisionsOfOtherModes) {
  ASSERT_EQ(add(folder_, entry(1), "start", decision("Bruck"), Outcome::decided), "");
  Deferred history(folder_);
  ASSERT_TRUE(history.find(entry(1).identity).entry.has_value());
  history.add(entry(1), "init and wait", decision("Native"), Outcome::decided);
  const auto found = history.find(entry(1).identity).entry;
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->decisions.size(), 2U);
  EXPECT_EQ(found->decisions.at("start").winner, "Bruck");
  EXPECT_EQ(found->decisions.at("init and wait").winner, "Native");
}

TEST_F(DeferredHistory, CountsDecisionsAndConfirmationsLikeAFolder) {
  ASSERT_EQ(add(folder_, entry(1), "start", decision("Bruck"), Outcome::decided), "");
  Deferred history(folder_);
  EXPECT_TRUE(history.find(entry(1).identity).entry.has_value());
  EXPECT_FALSE(history.find(entry(2).identity).entry.has_value());
  EXPECT_EQ(history.found(), 1);
  history.add(entry(1), "start", decision("Bruck"), Outcome::confirmed);
  history.add(entry(2), "start", decision("Native"), Outcome::decided);
  history.add(entry(2), "start", decision("Bruck"), Outcome::refined);
  EXPECT_EQ(history.flush(0.1, always).problems, 2);
  const auto one = find(folder_, entry(1).identity).entry->decisions.at("start");
  EXPECT_EQ(one.confirmations, 1);
  EXPECT_EQ(one.decisions, 1);
  const auto two = find(folder_, entry(2).identity).entry->decisions.at("start");
  EXPECT_EQ(two.winner, "Bruck");
  EXPECT_EQ(two.decisions, 1);
}

TEST_F(DeferredHistory, KeepsResultsThatAnotherRunStoredMeanwhile) {
  Deferred history(folder_);
  history.add(entry(1), "start_with", decision("Bruck"), Outcome::decided);
  ASSERT_EQ(add(folder_, entry(1), "start", decision("Native"), Outcome::decided), "");
  EXPECT_EQ(history.flush(0.1, always).problems, 1);
  EXPECT_EQ(find(folder_, entry(1).identity).entry->decisions.size(), 2U);
}

TEST_F(DeferredHistory, ReadsAndWritesOnlyWhileThereIsTime) {
  for (std::uint64_t i = 0; i < 5; ++i) {
    ASSERT_EQ(add(folder_, entry(i), "start", decision("Bruck"), Outcome::decided), "");
  }
  Deferred history(folder_);
  EXPECT_TRUE(history.all_of("alltoall", never).empty());
  int left = 3;
  const auto some = history.all_of("alltoall", [&] { return left-- > 0; });
  EXPECT_TRUE(some.size() == 2 || some.size() == 3);  // one of the items may be the lock file
  EXPECT_EQ(history.all_of("alltoall", always).size(), 5U);
  EXPECT_TRUE(history.all_of("bcast", always).empty());

  for (std::uint64_t i = 5; i < 8; ++i) {
    history.add(entry(i), "start", decision("Bruck"), Outcome::decided);
  }
  int writes = 1;
  const Stored stored = history.flush(0.1, [&] { return writes-- > 0; });
  EXPECT_EQ(stored.problems, 1);
  EXPECT_NE(stored.trouble.find("the time limit for writing"), std::string::npos);
}

TEST_F(DeferredHistory, ReportsWhyNothingIsStored) {
  for (const char* folder : {"/proc/none/history", "/dev/null/history"}) {
    Deferred history(folder);
    EXPECT_FALSE(history.find(entry(1).identity).entry.has_value());
    EXPECT_TRUE(history.all_of("alltoall", always).empty());
    history.add(entry(1), "start", decision("Bruck"), Outcome::decided);
    const Stored stored = history.flush(0.1, always);
    EXPECT_EQ(stored.problems, 0);
    EXPECT_NE(stored.trouble.find("is not stored: cannot create the folder"), std::string::npos);
  }
}

TEST_F(DeferredHistory, IgnoresFilesWithAnotherName) {
  ASSERT_EQ(add(folder_, entry(1), "start", decision("Bruck"), Outcome::decided), "");
  fs::rename(file_of(folder_, entry(1).identity), file_of(folder_, entry(2).identity));
  Deferred history(folder_);
  EXPECT_TRUE(history.all_of("alltoall", always).empty());
  EXPECT_FALSE(history.find(entry(2).identity).entry.has_value());
}

}  // namespace
}  // namespace adcl::history
