// Replays of recorded measurements: compares the decisions with those of searches on the same number of ranks, and with
// known decisions.
#include "replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "codelets/sets.hpp"
#include "core/error.hpp"

namespace {

using adcl::replay::Outcome;
using adcl::replay::Recording;
using How = adcl::replay::Setup;
using adcl::replay::Times;

constexpr int program_starts = 3000;

unsigned seed_of_run() {
  const char* const given = std::getenv("ADCL_TEST_SEED");
  const unsigned seed =
      given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
  ::testing::Test::RecordProperty("seed", std::to_string(seed));
  return seed;
}

/// Times of neighborhood codelets, each with its own mean, scatter and some stragglers.
Recording random_recording(std::mt19937& engine, std::size_t codelets, std::size_t ranks, std::size_t starts) {
  const adcl::FunctionSet& set = adcl::codelets::neighborhood();
  Recording recording;
  recording.attributes = set.attributes;
  std::uniform_real_distribution<double> level(1e-5, 4e-5);
  std::lognormal_distribution<double> scatter(0.0, 0.1);
  std::bernoulli_distribution straggles(0.05);
  for (std::size_t i = 0; i < codelets; ++i) {
    recording.candidates.push_back({set.codelets[i].name, set.codelets[i].attributes, {}});
    const double middle = level(engine);
    Times times;
    times.of_rank.resize(ranks);
    for (auto& rank : times.of_rank) {
      for (std::size_t start = 0; start < starts; ++start) {
        rank.push_back(middle * scatter(engine) * (straggles(engine) ? 30.0 : 1.0));
      }
    }
    recording.times.push_back(times);
  }
  return recording;
}

/// The decision of one search per rank that reads the times in the same order.
struct Ranks {
  Ranks(const Recording& recording, const How& setup) {
    adcl::select::Parameters parameters;
    parameters.estimator = setup.method;
    parameters.options = adcl::OptionValues(setup.logic->options);
    parameters.options.add(setup.method->options);
    for (const auto& option : setup.logic->options) {
      if (option.name == "ADCL_MEASUREMENTS") {
        parameters.options.set(option, std::to_string(setup.measurements));
      }
    }
    for (std::size_t rank = 0; rank < recording.ranks(); ++rank) {
      searches.push_back(setup.logic->make(recording.candidates, recording.attributes, parameters));
    }
  }

  /// The mean of the slowest rank's times: the time of an untimed start.
  static double mean(const Times& times) {
    double sum = 0.0;
    for (std::size_t start = 0; start < times.starts(); ++start) {
      sum += slowest(times, start);
    }
    return sum / static_cast<double>(times.starts());
  }
  static double slowest(const Times& times, std::size_t start) {
    double longest = 0.0;
    for (const auto& rank : times.of_rank) {
      longest = std::max(longest, rank[start]);
    }
    return longest;
  }

  Outcome run(const Recording& recording) {
    Outcome outcome;
    std::vector<std::size_t> places(recording.candidates.size(), 0);
    long long starts = 0;
    double seconds = 0.0;
    bool ended = false;  // the recording is over, and there is a provisional winner
    while (!searches.front()->verdict().has_value() && starts < program_starts && !ended) {
      ++starts;
      if (searches.front()->ready()) {
        std::vector<double> combined;
        for (auto& search : searches) {
          const auto mine = search->pending();
          combined.resize(mine.size(), -1e300);
          std::transform(mine.begin(), mine.end(), combined.begin(), combined.begin(),
                         [](double a, double b) { return std::max(a, b); });
          const auto meanwhile = static_cast<std::size_t>(search->next().candidate);
          seconds += search == searches.front() ? mean(recording.times[meanwhile]) : 0.0;
        }
        for (auto& search : searches) {
          search->absorb(combined);
        }
        outcome.starts = starts;
        outcome.seconds = seconds;
        continue;
      }
      for (std::size_t rank = 0; rank < searches.size(); ++rank) {
        const auto ticket = searches[rank]->next();
        const auto candidate = static_cast<std::size_t>(ticket.candidate);
        const Times& times = recording.times[candidate];
        const bool counts = ticket.slot >= 0;
        if (rank == 0 && counts && places[candidate] >= times.starts() &&
            adcl::select::standing(*searches.front()).has_value()) {
          ended = true;
          break;
        }
        const int resting = counts ? 0 : searches[rank]->skip();
        if (rank == 0) {
          starts += resting;
          seconds += counts ? slowest(times, places[candidate] % times.starts()) : (1 + resting) * mean(times);
        }
        if (resting > 0) {
          continue;
        }
        const double took = counts ? times.of_rank[rank][places[candidate] % times.starts()] : mean(times);
        searches[rank]->record(ticket, took);
        searches[rank]->spend(ticket.candidate, took);
        places[candidate] += counts && rank + 1 == searches.size() ? 1 : 0;
        outcome.measurements += counts && rank == 0 ? 1 : 0;
      }
    }
    const auto& verdict = adcl::select::standing(*searches.front());
    outcome.winner = verdict.has_value() ? verdict->winner : -1;
    outcome.reason = verdict.has_value() ? verdict->reason : "";
    return outcome;
  }

  std::vector<std::unique_ptr<adcl::select::Search>> searches;
};

TEST(Replay, DecidesLikeSearchesOnTheSameNumberOfRanks) {
  const unsigned seed = seed_of_run();
  SCOPED_TRACE("ADCL_TEST_SEED=" + std::to_string(seed));
  std::mt19937 engine(seed);
  for (const std::size_t ranks : {1U, 3U, 5U}) {
    const Recording recording = random_recording(engine, 9, ranks, 60);
    for (const auto& logic : adcl::select::table()) {
      for (const auto& method : adcl::measure::table()) {
        How setup{&logic, &method, 12};
        setup.starts = program_starts;
        SCOPED_TRACE(logic.name + ", " + method.name + ", ranks: " + std::to_string(ranks));
        const Outcome expected = Ranks(recording, setup).run(recording);
        const Outcome outcome = adcl::replay::replay(recording, setup);
        ASSERT_GE(outcome.winner, 0);
        EXPECT_EQ(outcome.winner, expected.winner);
        EXPECT_EQ(outcome.reason, expected.reason);
        EXPECT_EQ(outcome.starts, expected.starts);
        EXPECT_EQ(outcome.measurements, expected.measurements);
        EXPECT_NEAR(outcome.seconds, expected.seconds, 1e-9 * expected.seconds);
      }
    }
  }
}

/// The second codelet is faster; the first 20 of its 100 times contain one straggler.
Recording one_straggler() {
  const adcl::FunctionSet& set = adcl::codelets::neighborhood();
  Recording recording;
  recording.attributes = set.attributes;
  for (int i = 0; i < 2; ++i) {
    recording.candidates.push_back(
        {set.codelets[static_cast<std::size_t>(i)].name, set.codelets[static_cast<std::size_t>(i)].attributes, {}});
    Times times{{{}, {}}};
    for (int start = 0; start < 100; ++start) {
      const double seconds = (i == 0 ? 1.2e-5 : 1.0e-5) * (1.0 + 0.001 * (start % 7));
      times.of_rank[0].push_back(seconds);
      times.of_rank[1].push_back(i == 1 && start == 4 ? 3e-4 : seconds);
    }
    recording.times.push_back(times);
  }
  return recording;
}

TEST(Replay, OneStragglerMisleadsOnlyTheMeanOfFewMeasurements) {
  const Recording recording = one_straggler();
  for (const auto& method : adcl::measure::table()) {
    for (const int measurements : {100, 20, 10}) {
      const Outcome outcome =
          adcl::replay::replay(recording, {&adcl::select::find("brute_force"), &method, measurements});
      const bool misled = method.name == "none";
      EXPECT_EQ(outcome.winner, misled ? 0 : 1) << method.name << " with " << measurements;
      EXPECT_EQ(outcome.measurements, 2 * measurements);
      EXPECT_EQ(outcome.reused, 0);
    }
  }
  // Other windows contain no straggler.
  How later{&adcl::select::find("brute_force"), &adcl::measure::find("none"), 20};
  later.begin = 0.5;
  EXPECT_EQ(adcl::replay::replay(recording, later).winner, 1);
}

TEST(Replay, ReusesAndCountsTimesIfTheRecordingIsTooShort) {
  const Recording recording = one_straggler();
  const Outcome outcome =
      adcl::replay::replay(recording, {&adcl::select::find("brute_force"), &adcl::measure::find("heuristic"), 130});
  EXPECT_EQ(outcome.measurements, 260);
  EXPECT_EQ(outcome.reused, 60);
  EXPECT_EQ(outcome.starts, 261) << "the agreement takes one";
  EXPECT_GT(outcome.seconds, 260 * 1e-5);
}

/// Five codelets, each 1 % slower than the previous codelet, with a scatter of 10 %. In a long program, `model` would
/// measure each codelet more often than the 60 recorded times.
Recording similar_codelets() {
  const adcl::FunctionSet& set = adcl::codelets::neighborhood();
  Recording recording;
  recording.attributes = set.attributes;
  for (int i = 0; i < 5; ++i) {
    const adcl::Codelet& codelet = set.codelets[static_cast<std::size_t>(i)];
    recording.candidates.push_back({codelet.name, codelet.attributes, {}});
    std::vector<double> seconds;
    for (int start = 0; start < 60; ++start) {
      seconds.push_back(1e-5 * (1.0 + 0.01 * i + 0.2 * ((start * 7 + i * 3) % 11) / 11.0));
    }
    recording.times.push_back({{seconds, seconds}});
  }
  return recording;
}

TEST(Replay, EndsWithTheRecordingIfThereIsAProvisionalWinner) {
  for (const auto& method : adcl::measure::table()) {
    const Outcome outcome = adcl::replay::replay(similar_codelets(), {&adcl::select::find("model"), &method, 10});
    EXPECT_EQ(outcome.winner, 0) << method.name;
    EXPECT_EQ(outcome.reused, 0) << method.name;
    EXPECT_GT(outcome.measurements, 60) << method.name;
  }
}

TEST(Replay, EndsAfterTheRequestedNumberOfStarts) {
  How setup{&adcl::select::find("brute_force"), &adcl::measure::find("none"), 50};
  setup.starts = 30;
  EXPECT_EQ(adcl::replay::replay(one_straggler(), setup).winner, -1);
}

TEST(Replay, JudgesAllRecordedTimesOfTheSlowestRank) {
  const auto seconds = adcl::replay::judged(one_straggler(), adcl::measure::find("none"), {});
  EXPECT_NEAR(seconds[0], 1.2e-5 * 1.003, 2e-8);
  EXPECT_NEAR(seconds[1], 1.0e-5 * 1.003 + (3e-4 - 1e-5) / 100, 2e-8);
}

TEST(Replay, RejectsIncompleteRecordings) {
  Recording recording = one_straggler();
  EXPECT_NO_THROW(adcl::replay::check(recording));
  recording.times[1].of_rank[0].pop_back();
  EXPECT_THROW(adcl::replay::check(recording), adcl::Error);
  recording.times[1].of_rank = {{}, {}};
  EXPECT_THROW(adcl::replay::check(recording), adcl::Error);
  EXPECT_THROW(adcl::replay::check({}), adcl::Error);
  How setup{&adcl::select::find("brute_force"), &adcl::measure::find("heuristic"), 10, {{"ADCL_OUTLIER_BOUND", "0.5"}}};
  EXPECT_THROW(adcl::replay::replay(one_straggler(), setup), adcl::Error);
}

}  // namespace
