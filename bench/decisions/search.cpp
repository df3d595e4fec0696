// with: decisions/search_recorded.cpp
// links: adcl_objects
// Winners and costs of the selection logics on simulated times of the halo codelets, whose exact values are known.
//
// A problem gives each codelet of the neighborhood's table a mean time: a product of one random factor per attribute
// value, which hypotheses can find, and one individual factor, which they cannot; one-sided codelets are three to six
// times slower. A machine adds noise: log-normal noise, outliers of ten exchanges, a slow wave, and the time of another
// exchange for the first execution after a switch. Every logic searches on the same problems. Figures: the regret,
// which is the winner's excess time over the fastest codelet, and the time lost while searching, compared with as many
// starts of the fastest codelet; both as ratios of sums over brute force's, with 95 % bootstrap intervals over the
// problems. The problems are divided among the processes. In addition to the simulated machines, the logics run on
// recorded exchanges (search_recorded.cpp). `bench_search FILE network quiet` replays only these machines, of recorded,
// collectives, network, quiet, noisy and oversubscribed. `search=model seeds=20 programs` replays one logic 20 times on
// each recorded table and writes the figures of each program, for tools/search_pairs.py.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "codelets/sets.hpp"
#include "common/document.hpp"
#include "decisions/search_recorded.hpp"
#include "select/search.hpp"

namespace {

using adcl::select::Candidate;
using bench::Json;

const int problems = bench::effort(400, 40);
constexpr double exchange_s = 1e-4;

struct Machine {
  const char* name;
  double spread;    ///< standard deviation of the logarithm of a time
  double outliers;  ///< probability
  double wave;      ///< of the logarithm
};

constexpr std::array<Machine, 3> machines{
    {{"quiet", 0.05, 0.001, 0.0}, {"noisy", 0.3, 0.02, 0.1}, {"oversubscribed", 0.8, 0.1, 0.15}}};

/// Result of one search.
struct Outcome {
  double regret = 0.0;  ///< of the winner, relative to the fastest time
  double lost = 0.0;    ///< time lost while searching, in exchanges of the fastest codelet
  double starts = 0.0;
  double below_first = 0.0;  ///< 1: the winner is slower than the first codelet of the table
};
constexpr std::size_t numbers_of_outcome = 4;

std::vector<Candidate> candidates_of_table() {
  std::vector<Candidate> result;
  for (const adcl::Codelet& row : adcl::codelets::neighborhood().codelets) {
    result.push_back({row.name, row.attributes});
  }
  return result;
}

bool one_sided(const std::string& name) {
  return name.starts_with("Winfence") || name.starts_with("PostStart") || name.starts_with("Passive");
}

std::vector<double> times_of(const std::vector<Candidate>& candidates, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(3.0, 6.0);
  std::map<std::pair<std::size_t, int>, double> factors;
  std::vector<double> times;
  for (const Candidate& candidate : candidates) {
    double seconds = exchange_s * std::exp(0.1 * normal(engine));
    for (std::size_t j = 0; j < candidate.attributes.size(); ++j) {
      const auto [place, added] = factors.try_emplace({j, candidate.attributes[j]}, 1.0);
      if (added && candidate.attributes[j] >= 0) {
        place->second = std::exp(0.12 * normal(engine));
      }
      seconds *= place->second;
    }
    times.push_back(one_sided(candidate.name) ? uniform(engine) * seconds : seconds);
  }
  return times;
}

adcl::OptionValues default_options(const adcl::select::Logic& logic, const adcl::measure::Estimator& method) {
  adcl::OptionValues values(logic.options);
  values.add(method.options);
  return values;
}

Outcome search_once(const adcl::select::Logic& logic, const std::vector<Candidate>& candidates,
                    const std::vector<double>& times, const Machine& machine, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  adcl::select::Parameters parameters;
  parameters.estimator = &adcl::measure::find("heuristic");
  parameters.options = default_options(logic, *parameters.estimator);
  const auto search = logic.make(candidates, adcl::codelets::neighborhood().attributes, parameters);
  const double best_s = *std::min_element(times.begin(), times.end());
  Outcome outcome;
  double wave = 0.0;
  int previous = -1;
  while (!search->verdict()) {
    if (search->ready()) {
      search->absorb(search->pending());
      continue;
    }
    const adcl::select::Ticket ticket = search->next();
    const double mean_s = times[static_cast<std::size_t>(ticket.candidate)];
    const double switching_s = ticket.candidate != previous ? exchange_s : 0.0;
    wave = 0.98 * wave + 0.2 * normal(engine);
    double seconds = mean_s * std::exp(machine.spread * normal(engine) - machine.spread * machine.spread / 2.0 +
                                       machine.wave * wave);
    seconds += switching_s + (uniform(engine) < machine.outliers ? 10.0 * exchange_s : 0.0);
    search->record(ticket, seconds);
    previous = ticket.candidate;
    outcome.lost += (mean_s + switching_s - best_s) / best_s;
    outcome.starts += 1.0;
  }
  const double winner_s = times[static_cast<std::size_t>(search->verdict()->winner)];
  outcome.regret = winner_s / best_s - 1.0;
  outcome.below_first = winner_s > times.front() ? 1.0 : 0.0;
  return outcome;
}

/// The outcomes of all problems, on rank 0. Collective.
std::vector<Outcome> search_all(const adcl::select::Logic& logic, const Machine& machine) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto candidates = candidates_of_table();
  std::vector<double> mine(problems * numbers_of_outcome, 0.0);
  for (int problem = rank; problem < problems; problem += size) {
    std::mt19937_64 engine(static_cast<std::uint64_t>(problem));
    const auto times = times_of(candidates, engine);
    const Outcome outcome =
        search_once(logic, candidates, times, machine, static_cast<std::uint64_t>(problem) + 1000000);
    const auto place = mine.begin() + problem * static_cast<std::ptrdiff_t>(numbers_of_outcome);
    std::copy_n(std::array{outcome.regret, outcome.lost, outcome.starts, outcome.below_first}.begin(),
                numbers_of_outcome, place);
  }
  std::vector<double> all(mine.size(), 0.0);
  MPI_Reduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < all.size(); i += numbers_of_outcome) {
    outcomes.push_back({all[i], all[i + 1], all[i + 2], all[i + 3]});
  }
  return outcomes;
}

double sum_of(const std::vector<Outcome>& outcomes, double Outcome::*number, const std::vector<std::size_t>& which) {
  double sum = 0.0;
  for (const std::size_t i : which) {
    sum += outcomes[i].*number;
  }
  return sum;
}

/// One figure: the ratio of the sums with its interval.
Json ratio(const std::string& name, const std::vector<Outcome>& of, const std::vector<Outcome>& to,
           double Outcome::*number) {
  std::vector<std::size_t> which(of.size());
  std::mt19937_64 engine(7);
  std::uniform_int_distribution<std::size_t> any(0, of.size() - 1);
  std::vector<double> ratios;
  for (int i = 0; i < 2000; ++i) {
    std::generate(which.begin(), which.end(), [&] { return any(engine); });
    ratios.push_back(sum_of(of, number, which) / sum_of(to, number, which));
  }
  std::sort(ratios.begin(), ratios.end());
  for (std::size_t i = 0; i < which.size(); ++i) {
    which[i] = i;
  }
  return bench::figure(
      name, bench::Interval{sum_of(of, number, which) / sum_of(to, number, which), ratios[ratios.size() / 40],
                            ratios[ratios.size() - ratios.size() / 40 - 1]});
}

/// The means in a row of the documentation's table.
Json row_of(const std::vector<Outcome>& outcomes) {
  std::vector<std::size_t> all(outcomes.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = i;
  }
  const auto count = static_cast<double>(outcomes.size());
  return {{"regret_percent", 100.0 * sum_of(outcomes, &Outcome::regret, all) / count},
          {"slower_than_the_first_percent", 100.0 * sum_of(outcomes, &Outcome::below_first, all) / count},
          {"lost_exchanges", sum_of(outcomes, &Outcome::lost, all) / count},
          {"starts", sum_of(outcomes, &Outcome::starts, all) / count}};
}

/// Collective. Returns the exit code.
int run(const char* path, const std::vector<std::string>& words) {
  bench::Replay replay;
  std::vector<std::string> only;
  std::copy_if(words.begin(), words.end(), std::back_inserter(only),
               [&](const std::string& word) { return !bench::read_replay_option(word, replay); });
  const auto options = default_options(adcl::select::table().front(), adcl::measure::table().front());
  Json context = {{"problems", problems}, {"measurements", options.integer("ADCL_MEASUREMENTS")}};
  Json figures = Json::array();
  const auto wanted = [&](const char* name) {
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  };
  for (const char* machine : {"recorded", "collectives", "network"}) {
    if (wanted(machine)) {
      bench::replay_recorded(machine, replay, context, figures);
    }
  }
  for (const Machine& machine : machines) {
    if (!wanted(machine.name)) {
      continue;
    }
    std::map<std::string, std::vector<Outcome>> outcomes;
    for (const adcl::select::Logic& logic : adcl::select::table()) {
      outcomes[logic.name] = search_all(logic, machine);
      context[machine.name][logic.name] = row_of(outcomes[logic.name]);
    }
    for (const adcl::select::Logic& logic : adcl::select::table()) {
      if (logic.name != "brute_force") {
        const std::string which = logic.name + "." + machine.name;
        figures.push_back(
            ratio("regret_over_brute_force." + which, outcomes[logic.name], outcomes["brute_force"], &Outcome::regret));
        figures.push_back(
            ratio("lost_over_brute_force." + which, outcomes[logic.name], outcomes["brute_force"], &Outcome::lost));
      }
    }
  }
  return bench::write_document(path, context, figures);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 2;
  try {
    code = bench::names_a_file(std::min(argc, 2), argv) ? run(argv[1], {argv + 2, argv + argc}) : 2;
  } catch (const std::exception& error) {
    (void)std::fprintf(stderr, "bench_search: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
