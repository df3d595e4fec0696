// The history in a folder: concurrent processes, killed processes, full disks, invalid files. No result is lost.
#include "history/store.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

#include "core/error.hpp"

namespace adcl::history {
namespace {

namespace fs = std::filesystem;

class Store : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "adcl-history-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    entry_.identity = {"neighborhood", 0xfedcba9876543210ULL, "A processor", false, {"IsIr_aao", "Sr_pair"}};
    entry_.problem = "2 messages out";
    entry_.features = {{"pattern", "neighborhood"}, {"ranks", 2.0}};
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  static Decision decision(const std::string& winner, double seconds) {
    Decision made;
    made.winner = winner;
    made.winner_s = seconds;
    made.reason = winner + " was the fastest";
    made.search = "racing";
    made.outliers = "heuristic";
    made.estimates = {{winner, {seconds, seconds, 1.0, 10.0, 1e-7}, seconds}};
    made.decided = "2026-11-23T22:40:11Z";
    made.version = "2.0.0";
    return made;
  }
  std::string add_decision(const std::string& winner, double seconds, Outcome outcome = Outcome::decided,
                           const std::string& mode = "start") const {
    return add(folder_, entry_, mode, decision(winner, seconds), outcome);
  }
  [[nodiscard]] std::string path() const { return file_of(folder_, entry_.identity); }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void put(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& item : fs::directory_iterator(folder_)) {
      all.push_back(item.path().filename().string());
    }
    return all;
  }

  std::string folder_;
  Entry entry_;
};

TEST_F(Store, RestoresAllNumbersExactly) {
  Decision made = decision("Sr_pair", 1.0 / 3.0);
  made.estimates.push_back({"IsIr_aao", {0.1, std::numeric_limits<double>::denorm_min(), 0.0, 3.0, 86400.0}, 0.2});
  made.untried = {{"SIr_aao", -1.0 / 3.0}, {"SIr_pair", 0.0}};

  ASSERT_EQ(add(folder_ + "/made/when/missing", entry_, "start", made, Outcome::decided), "");
  const Found found = find(folder_ + "/made/when/missing", entry_.identity);

  ASSERT_TRUE(found.entry.has_value()) << found.trouble;
  entry_.decisions = {{"start", made}};
  EXPECT_EQ(to_text(*found.entry), to_text(entry_)) << "the text of a number must have all digits";
  EXPECT_EQ(found.entry->decisions.at("start").winner_s, made.winner_s);
}

TEST_F(Store, ReadsKeysInAnyOrder) {
  const std::string numbers =
      R"("spread_s": 1e-07, "mean_s": 2, "filtered_mean_s": 2.0, "measurements": 10, "judged_s": 2, "outliers": 0)";
  put(path(), text(R"({"decisions": {"start": {"estimates": [{)", numbers, R"(, "codelet": "Sr_pair"}], )",
                   R"("winner": "Sr_pair", "winner_s": 2, "reason": "", "search": "racing", "outliers": "none", )",
                   R"("decided": "2026", "confirmed": "", "decisions": 3, "confirmations": 4, "version": "2", )",
                   R"("comment": null}}, "schema": 1, "identity": ")", entry_.identity.word(),
                   R"(", "function_set": "neighborhood", "problem": "\u00e4", "signature": "fedcba9876543210", )",
                   R"("processor": "A processor", "barrier": false, "features": {"ranks": 2, "pattern": "p"}, )",
                   R"("candidates": ["IsIr_aao", "Sr_pair"]})"));

  const Found found = find(folder_, entry_.identity);

  ASSERT_TRUE(found.entry.has_value()) << found.trouble;
  EXPECT_EQ(found.entry->decisions.at("start").confirmations, 4);
  EXPECT_EQ(found.entry->decisions.at("start").estimates.front().judged_s, 2.0);
}

TEST_F(Store, DoesNotFindAnotherProblem) {
  ASSERT_EQ(add_decision("Sr_pair", 1e-3), "");

  for (Identity other : {entry_.identity, entry_.identity, entry_.identity, entry_.identity, entry_.identity}) {
    static int which = 0;
    switch (which++) {
      case 0:
        other.function_set = "other";
        break;
      case 1:
        ++other.problem;
        break;
      case 2:
        other.processor = "Another processor";
        break;
      case 3:
        other.barrier = true;
        break;
      default:
        other.candidates.pop_back();
    }
    const Found found = find(folder_, other);
    EXPECT_FALSE(found.entry.has_value());
    EXPECT_EQ(found.trouble, "");
  }
}

TEST_F(Store, CountsConfirmationsAndKeepsOtherDecisions) {
  ASSERT_EQ(add_decision("Sr_pair", 1e-3), "");
  ASSERT_EQ(add_decision("IsIr_aao", 5e-3, Outcome::decided, "init and wait"), "");

  ASSERT_EQ(add_decision("Sr_pair", 1.05e-3, Outcome::confirmed), "");
  ASSERT_EQ(add_decision("Sr_pair", 1.05e-3, Outcome::confirmed), "");
  auto decisions = find(folder_, entry_.identity).entry->decisions;

  EXPECT_EQ(decisions.at("start").winner_s, 1e-3);
  EXPECT_EQ(decisions.at("start").confirmations, 2);
  EXPECT_EQ(decisions.at("start").decisions, 1);
  EXPECT_EQ(decisions.at("init and wait").winner, "IsIr_aao");

  ASSERT_EQ(add_decision("IsIr_aao", 2e-3), "");
  decisions = find(folder_, entry_.identity).entry->decisions;
  EXPECT_EQ(decisions.at("start").winner_s, 2e-3);
  EXPECT_EQ(decisions.at("start").confirmations, 0);
  EXPECT_EQ(decisions.at("start").decisions, 2);
}

TEST_F(Store, IgnoresTruncatedFiles) {
  ASSERT_EQ(add_decision("Sr_pair", 1e-3), "");
  const std::string whole = content(path());

  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    put(path(), whole.substr(0, size));
    const Found found = find(folder_, entry_.identity);
    ASSERT_FALSE(found.entry.has_value()) << size << " bytes";
    ASSERT_NE(found.trouble.find("is ignored"), std::string::npos);
  }
}

TEST_F(Store, RenamesABrokenFile) {
  ASSERT_EQ(add_decision("Sr_pair", 1e-3), "");
  put(path(), "{\"schema\": 1, ");

  ASSERT_EQ(add_decision("IsIr_aao", 1e-3), "");

  EXPECT_EQ(find(folder_, entry_.identity).entry->decisions.at("start").winner, "IsIr_aao");
  EXPECT_EQ(content(path() + ".broken"), "{\"schema\": 1, ");
}

TEST_F(Store, ReportsFilesThatAChangedByteInvalidates) {
  ASSERT_EQ(add_decision("Sr_pair", 1e-3), "");
  const std::string whole = content(path());
  std::mt19937 random(7);

  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string changed = whole;
    changed[place] = static_cast<char>(random() % 256);
    put(path(), changed);
    const Found found = find(folder_, entry_.identity);
    EXPECT_NE(found.entry.has_value(), !found.trouble.empty());
  }
}

TEST_F(Store, RejectsImplausiblyLongTimes) {
  ASSERT_EQ(add_decision("Sr_pair", 1e-3), "");
  const std::string whole = content(path());
  for (const char* name : {"winner_s", "mean_s", "filtered_mean_s", "judged_s", "spread_s"}) {
    std::string changed = whole;
    const auto place = changed.find(":", changed.find(std::string("\"") + name + "\"")) + 1;
    changed.replace(place, changed.find_first_of(",\n}", place) - place, " 1e308");
    put(path(), changed);
    const Found found = find(folder_, entry_.identity);
    EXPECT_FALSE(found.entry.has_value()) << name;
    EXPECT_NE(found.trouble.find(std::string(name) + " is 1e+308; it must be at most"), std::string::npos)
        << found.trouble;
  }
}

TEST_F(Store, RejectsNegativeNumbers) {
  ASSERT_EQ(add_decision("Sr_pair", 1e-3), "");
  const std::string whole = content(path());
  for (const char* name : {"winner_s", "mean_s", "judged_s", "measurements"}) {
    std::string changed = whole;
    const auto place = changed.find(":", changed.find(std::string("\"") + name + "\"")) + 1;
    changed.replace(place, changed.find_first_of(",\n}", place) - place, " -1");
    put(path(), changed);
    const Found found = find(folder_, entry_.identity);
    EXPECT_FALSE(found.entry.has_value()) << name;
    EXPECT_NE(found.trouble.find(std::string(name) + " is -1; it must be a finite number of at least 0"),
              std::string::npos)
        << found.trouble;
  }
}

TEST_F(Store, RejectsTheFileOfAnotherProblem) {
  ASSERT_EQ(add_decision("Sr_pair", 1e-3), "");
  Identity other = entry_.identity;
  ++other.problem;
  fs::copy_file(path(), file_of(folder_, other));

  const Found found = find(folder_, other);

  EXPECT_FALSE(found.entry.has_value());
  EXPECT_NE(found.trouble.find("the file contains the results of another problem"), std::string::npos) << found.trouble;
}

TEST_F(Store, ListsTheCurrentEntriesOfAFunctionSet) {
  EXPECT_TRUE(all_of(folder_, "neighborhood").empty());
  ASSERT_EQ(add_decision("Sr_pair", 1e-3), "");
  put(folder_ + "/0.json", "{");
  for (const char* winner : {"Sr_pair", "IsIr_aao"}) {
    ASSERT_EQ(add_decision(winner, 1e-3), "");
    for (int i = 0; i < 2; ++i) {
      const auto all = all_of(folder_, "neighborhood");
      ASSERT_EQ(all.size(), 1U);
      EXPECT_EQ(all.front()->decisions.at("start").winner, winner);
    }
  }
  EXPECT_TRUE(all_of(folder_, "allreduce").empty());
  fs::remove(path());
  EXPECT_TRUE(all_of(folder_, "neighborhood").empty());
}

TEST_F(Store, KeepsFilesOfAnotherSchema) {
  ASSERT_EQ(add_decision("Sr_pair", 1e-3), "");
  std::string other = content(path());
  other.replace(other.find("\"schema\": 1"), 11, "\"schema\": 2");
  put(path(), other);

  const Found found = find(folder_, entry_.identity);
  const std::string trouble = add_decision("IsIr_aao", 1e-3);

  EXPECT_FALSE(found.entry.has_value());
  EXPECT_NE(found.trouble.find("the schema is 2, but this library reads schema 1"), std::string::npos) << found.trouble;
  EXPECT_NE(trouble.find("the schema is 2"), std::string::npos) << trouble;
  EXPECT_EQ(content(path()), other);
}

TEST_F(Store, KeepsTheOldFileWhenTheDiskIsFull) {
  ASSERT_EQ(add_decision("Sr_pair", 1e-3), "");
  const std::string before = content(path());
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  // Makes the temporary file a link to a device without space.
  fs::create_symlink("/dev/full", text(path(), ".", host.data(), ".", ::getpid(), ".tmp"));

  const std::string trouble = add_decision("IsIr_aao", 1e-3);

  EXPECT_NE(trouble.find("No space left"), std::string::npos) << trouble;
  EXPECT_EQ(content(path()), before);
  EXPECT_EQ(names().size(), 2U) << "only the file and its lock";
}

TEST_F(Store, ReportsAFolderThatCannotBeWritten) {
  put(folder_ + "/file", "");

  const std::string trouble = add(folder_ + "/file", entry_, "start", decision("Sr_pair", 1e-3), Outcome::decided);

  EXPECT_NE(trouble.find("is not stored: cannot create the folder"), std::string::npos) << trouble;
  EXPECT_EQ(find(folder_ + "/file", entry_.identity).trouble, "");
}

TEST_F(Store, DoesNotOpenPipes) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_NE(find(folder_, entry_.identity).trouble.find("not a regular file"), std::string::npos);
}

/// Runs \p action in a new process, which exits afterwards.
template <typename Action>
pid_t in_process(const Action& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    action();
    ::_exit(0);
  }
  return child;
}

TEST_F(Store, LosesNoDecisionOfConcurrentProcesses) {
  constexpr int processes = 8;
  constexpr int additions = 10;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    children.push_back(in_process([this, i] {
      for (int done = 0; done < additions;) {
        done += add_decision("Sr_pair", 1e-3, Outcome::decided, i % 2 == 0 ? "start" : "init and wait").empty() ? 1 : 0;
      }
    }));
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }

  const Found found = find(folder_, entry_.identity);
  ASSERT_TRUE(found.entry.has_value()) << found.trouble;
  EXPECT_EQ(found.entry->decisions.at("start").decisions, processes / 2 * additions);
  EXPECT_EQ(found.entry->decisions.at("init and wait").decisions, processes / 2 * additions);
}

TEST_F(Store, IsConsistentAfterAWriterWasKilled) {
  ASSERT_EQ(add_decision("Sr_pair", 1e-3), "");
  // A long text, so that many processes are killed during the write.
  entry_.problem = std::string(1U << 20U, 'p');
  std::mt19937 random(3);
  std::int64_t before = 1;

  for (int round = 0; round < 40; ++round) {
    const pid_t child = in_process([this] {
      while (true) {
        add_decision("Sr_pair", 1e-3);
      }
    });
    ::usleep(static_cast<useconds_t>(1000 + random() % 20000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);

    const Found found = find(folder_, entry_.identity);
    ASSERT_TRUE(found.entry.has_value()) << found.trouble;
    ASSERT_GE(found.entry->decisions.at("start").decisions, before);
    before = found.entry->decisions.at("start").decisions;
    ASSERT_EQ(add_decision("Sr_pair", 1e-3), "") << "the lock of the killed process must be released";
    ++before;
  }
}

}  // namespace
}  // namespace adcl::history
