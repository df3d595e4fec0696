// Properties of every selection logic, tested with random candidates and random sequences of events.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "unit/select_support.hpp"

namespace adcl::select {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  bool chance(double probability) { return std::bernoulli_distribution(probability)(engine_); }
  double uniform() { return std::uniform_real_distribution<double>(0.0, 1.0)(engine_); }

 private:
  std::mt19937 engine_;
};

struct Scenario {
  AttributeSet attributes;
  std::vector<Candidate> candidates;
  std::vector<double> times;
  Parameters parameters;
  int ranks = 1;
  double missing = 0.0;  ///< probability of a missing time
  double drops = 0.0;    ///< probability of a drop before a start
};

AttributeSet random_attributes(Random& random) {
  AttributeSet result;
  const int count = random.between(0, 5);
  for (int j = 0; j < count; ++j) {
    Attribute attribute;
    attribute.name = "a" + std::to_string(j);
    const int values = random.between(1, 5);
    for (int value = 0; value < values; ++value) {
      const std::string value_class = random.chance(0.4) ? std::string(1, random.chance(0.5) ? 'p' : 'q') : "";
      attribute.values.push_back({10 * value, "v" + std::to_string(value), value_class, random.between(0, 1)});
    }
    result.push_back(attribute);
  }
  return result;
}

double random_time(Random& random, int kind) {
  switch (kind) {
    case 0:
      return 1e-6;
    case 1:
      return random.chance(0.5) ? 0.0 : 1e-6 * random.between(0, 3);
    case 2:
      return 1.0 + random.between(0, 2);
    default:
      return std::exp(20.0 * random.uniform() - 15.0);
  }
}

Scenario random_scenario(Random& random) {
  Scenario scenario;
  scenario.attributes = random_attributes(random);
  const int count = random.between(1, 30);
  const double lacking = random.chance(0.5) ? 0.0 : 0.2 * random.uniform();
  const int kind = random.between(0, 5);
  std::vector<std::vector<double>> factors;
  for (const Attribute& attribute : scenario.attributes) {
    factors.emplace_back();
    for (std::size_t v = 0; v < attribute.values.size(); ++v) {
      factors.back().push_back(std::exp(random.uniform()));
    }
  }
  for (int i = 0; i < count; ++i) {
    Candidate candidate{"c" + std::to_string(i), {}};
    double seconds = 1e-4;
    for (std::size_t j = 0; j < scenario.attributes.size(); ++j) {
      const int value = random.between(0, static_cast<int>(factors[j].size()) - 1);
      candidate.attributes.push_back(random.chance(lacking) ? not_applicable : 10 * value);
      seconds *= factors[j][static_cast<std::size_t>(value)];
    }
    scenario.candidates.push_back(candidate);
    scenario.times.push_back(kind >= 4 ? seconds : random_time(random, kind));
  }
  scenario.parameters = parameters(random.between(1, 4), random.between(1, 3));
  const auto methods = measure::table();
  scenario.parameters.estimator =
      &methods[static_cast<std::size_t>(random.between(0, static_cast<int>(methods.size()) - 1))];
  scenario.ranks = random.between(1, 4);
  scenario.missing = random.chance(0.5) ? 0.0 : random.uniform();
  scenario.drops = random.chance(0.5) ? 0.0 : 0.1 * random.uniform();
  return scenario;
}

/// Runs a search until its verdict, and checks every step.
class CheckedSearch {
 public:
  CheckedSearch(const std::string& logic, Scenario scenario, Random& random)
      : weighs_(logic == "model"),
        measurements_(scenario.parameters.options.integer("ADCL_MEASUREMENTS")),
        scenario_(std::move(scenario)),
        random_(random),
        world_(logic, scenario_.candidates, scenario_.attributes, scenario_.parameters, scenario_.ranks),
        dropped_(scenario_.candidates.size(), false),
        primed_(scenario_.candidates.size(), false) {}

  void run() {
    maybe_prime();
    const int limit = 4 * count() * (measurements_ + 5) + (weighs_ ? 60000 : 100);
    for (int steps = 0; !world_.first().verdict(); ++steps) {
      ASSERT_LT(steps, limit) << "the search does not end";
      maybe_drop();
      if (world_.first().ready()) {
        agree();
      } else if (!world_.first().verdict()) {
        start();
      }
    }
    check_end();
    maybe_drop();
    check_end();
  }

 private:
  [[nodiscard]] int count() const { return static_cast<int>(scenario_.candidates.size()); }
  [[nodiscard]] const Knowledge& knowledge(int i) { return world_.first().knowledge()[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool dropped(int i) const { return dropped_[static_cast<std::size_t>(i)]; }

  void maybe_prime() {
    if (!random_.chance(0.3)) {
      return;
    }
    std::vector<measure::Numbers> known(scenario_.candidates.size());
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (random_.chance(0.5)) {
        known[i] = {scenario_.times[i], scenario_.times[i], 0.0, 3.0};
        primed_[i] = true;
      }
    }
    world_.prime(known);
  }

  void maybe_drop() {
    const auto left = std::count(dropped_.begin(), dropped_.end(), false);
    if (left > 1 && random_.chance(scenario_.drops)) {
      const int candidate = random_.between(0, count() - 1);
      world_.drop(candidate, "dropped by the test");
      dropped_[static_cast<std::size_t>(candidate)] = true;
    }
  }

  void start() {
    const bool incumbent = world_.first().ready();
    const Ticket ticket = world_.step([this](int rank, int candidate, int) {
      const double noise = 1.0 + 0.001 * rank + 0.01 * random_.uniform();
      return random_.chance(scenario_.missing) ? never : scenario_.times[static_cast<std::size_t>(candidate)] * noise;
    });
    EXPECT_FALSE(dropped(ticket.candidate));
    EXPECT_TRUE(ticket.slot < 0 || !incumbent);
    EXPECT_TRUE(ticket.slot >= 0 || incumbent || weighs_) << "only model has warm-ups";
    if (ticket.slot >= 0) {
      EXPECT_FALSE(primed_[static_cast<std::size_t>(ticket.candidate)]) << "primed candidate";
    }
    if (ticket.slot >= 0 && !weighs_) {
      EXPECT_EQ(knowledge(ticket.candidate).numbers.measurements, 0.0) << "measured twice";
      EXPECT_EQ(knowledge(ticket.candidate).removed, "") << "removed candidate";
    }
  }

  void agree() {
    const auto reduced = world_.reduced();
    for (int starts = random_.between(0, 2); starts > 0; --starts) {
      start();
    }
    maybe_drop();
    world_.absorb(reduced);
  }

  /// The winner must be the fastest candidate, tied with it, or the first candidate that was not dropped.
  void check_weighed() {
    const int winner = world_.first().verdict()->winner;
    const bool first = std::find(dropped_.begin(), dropped_.end(), false) - dropped_.begin() == winner;
    for (int i = 0; i < count(); ++i) {
      const bool known = !dropped(i) && knowledge(i).numbers.measurements > 0.0;
      EXPECT_TRUE(first || !known || knowledge(winner).judged_s <= 1.0203 * knowledge(i).judged_s) << i;
    }
  }

  void check_end() {
    const Verdict& verdict = *world_.first().verdict();
    EXPECT_FALSE(verdict.reason.empty());
    EXPECT_FALSE(dropped(verdict.winner));
    EXPECT_EQ(knowledge(verdict.winner).removed, "");
    EXPECT_EQ(world_.first().next().candidate, verdict.winner);
    EXPECT_EQ(world_.first().next().slot, -1);
    EXPECT_FALSE(world_.first().ready());
    for (int r = 1; r < world_.ranks(); ++r) {
      ASSERT_TRUE(world_.rank(r).verdict()) << "on rank " << r;
      EXPECT_EQ(world_.rank(r).verdict()->winner, verdict.winner) << "on rank " << r;
      EXPECT_EQ(world_.rank(r).verdict()->reason, verdict.reason) << "on rank " << r;
    }
    for (int i = 0; i < count(); ++i) {
      EXPECT_TRUE(i == verdict.winner || !knowledge(i).removed.empty()) << "no reason for " << i;
    }
    if (weighs_) {
      check_weighed();
      return;
    }
    for (int i = 0; i < count(); ++i) {
      EXPECT_LE(world_.measurements(i), 3 * measurements_) << i;
      if (scenario_.missing == 0.0) {
        EXPECT_LE(world_.measurements(i), measurements_) << i;
      }
      if (!dropped(i) && knowledge(i).numbers.measurements > 0.0) {
        EXPECT_LE(knowledge(verdict.winner).judged_s, knowledge(i).judged_s) << i;
        EXPECT_TRUE(i >= verdict.winner || knowledge(i).judged_s > knowledge(verdict.winner).judged_s)
            << "the first among equals";
      }
    }
  }

  const bool weighs_;  ///< the logic weighs gain and cost of trials
  const int measurements_;
  Scenario scenario_;
  Random& random_;
  World world_;
  std::vector<bool> dropped_;
  std::vector<bool> primed_;
};

void test_random_scenarios(const std::string& logic) {
  const unsigned first = std::random_device{}();
  for (unsigned i = 0; i < 1500 && !testing::Test::HasFailure(); ++i) {
    const unsigned seed = first + i;
    SCOPED_TRACE(logic + ", seed " + std::to_string(seed));
    Random random(seed);
    Scenario scenario = random_scenario(random);
    CheckedSearch(logic, std::move(scenario), random).run();
  }
}

class SearchProperty : public testing::TestWithParam<std::string> {};

TEST_P(SearchProperty, EndsOnAllRanksWithTheFastestCandidate) { test_random_scenarios(GetParam()); }

std::vector<std::string> names_of_logics() {
  std::vector<std::string> names;
  for (const Logic& logic : table()) {
    names.push_back(logic.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, SearchProperty, testing::ValuesIn(names_of_logics()),
                         [](const auto& tested) { return tested.param; });

/// For AddressSanitizer: ADCL 1.x exceeded fixed arrays if there were too many comparisons or attribute values.
TEST(SearchStress, FailureOf1x_AcceptsManyComparisonsAndValues) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  AttributeSet attributes;
  for (int j = 0; j < 12; ++j) {
    Attribute attribute{"a" + std::to_string(j), {}};
    for (int value = 0; value < 40; ++value) {
      attribute.values.push_back({1000 * value, std::to_string(value), value % 3 == 0 ? "third" : "", value % 2});
    }
    attributes.push_back(attribute);
  }
  std::vector<Candidate> candidates;
  for (int i = 0; i < 400; ++i) {
    Candidate candidate{"c" + std::to_string(i), std::vector<int>(12, 0)};
    for (int changes = random.between(0, 3); changes > 0; --changes) {
      const auto j = static_cast<std::size_t>(random.between(0, 11));
      candidate.attributes[j] = random.chance(0.05) ? not_applicable : 1000 * random.between(0, 45);
    }
    candidates.push_back(candidate);
  }
  for (const int confidence : {1, 2, 50}) {
    World world("hypothesis", candidates, attributes, parameters(1, confidence));
    world.run([&random](int, int, int) { return random.uniform(); });
    EXPECT_TRUE(world.first().verdict());
    EXPECT_LE(world.measurements(), 400);
  }
}

}  // namespace
}  // namespace adcl::select
