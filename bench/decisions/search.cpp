// links: adcl_objects
// Decisions and costs of searches on recorded and on simulated times of codelets, whose true means are known.
//
// Recorded: each search replays a program of a given number of starts on the times of bench_codelets. The first start
// of a codelet takes the recorded time of a first start, the first execution after another codelet takes the recorded
// time of such an execution, and any other execution takes a randomly drawn recorded time. Each codelet has a separate
// random sequence, so that two searches with the same seed get the same times. Expectations come from the tables of
// other MPI libraries. A search sees the drawn times, but its cost is the sum of the means, so that chance has no
// influence. On networks, where operations occasionally wait for a retransmission, the means include all times, and
// times are drawn in their recorded order. On other machines, where other programs cause rare long times, the means are
// trimmed.
//
// Simulated: a problem gives each codelet of the neighborhood's table a mean time: a product of one random factor per
// value of its attributes, which the search `hypothesis` can find, and one factor per codelet, which that search cannot
// find; one-sided codelets are three to six times slower. A machine adds noise: log-normal, outliers of ten exchanges,
// a slow wave, and for the first execution after a switch the time of another exchange. All searches run on the same
// problems. There are two figures: the regret, which is the ratio of the winner's time to the fastest codelet's time,
// minus 1; and the time that the search takes in addition to the same number of starts of the fastest codelet. Both are
// sums over the problems, divided by the sums of brute force, with 95 % bootstrap intervals.
//
// The work is divided among the processes. `bench_search FILE network quiet` uses only these machines. The machines are
// recorded (halos in shared memory), collectives (also in shared memory), network (halos), quiet, noisy and
// oversubscribed. `search=model seeds=20 programs` replays one search 20 times on each recorded table and writes the
// figures of each program, for tools/search_pairs.py.
#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "codelets/collectives/prior.hpp"
#include "codelets/neighborhood/prior.hpp"
#include "codelets/sets.hpp"
#include "common/document.hpp"
#include "select/search.hpp"

namespace {

using adcl::select::Candidate;
using adcl::select::Logic;
using bench::Json;

adcl::OptionValues default_options(const Logic& logic, const adcl::measure::Estimator& method) {
  adcl::OptionValues values(logic.options);
  values.add(method.options);
  return values;
}

std::unique_ptr<adcl::select::Search> make_search(const Logic& logic, const std::vector<Candidate>& candidates,
                                                  const adcl::FunctionSet& set) {
  adcl::select::Parameters parameters;
  parameters.estimator = &adcl::measure::find("heuristic");
  parameters.options = default_options(logic, *parameters.estimator);
  return logic.make(candidates, set.attributes, parameters);
}

/// Runs a search until its verdict, for at most \p starts starts. \p execute returns the time of a start that the
/// search sees. Returns the number of starts.
template <class Execute>
int run_search(adcl::select::Search& search, int starts, const Execute& execute) {
  int done = 0;
  for (; done < starts && !search.verdict(); ++done) {
    const adcl::select::Ticket ticket = search.next();
    search.record(ticket, execute(ticket.candidate));
    if (search.ready()) {
      search.absorb(search.pending());
    }
  }
  return done;
}

int rank_of() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int size_of() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Combines the values of all processes; each process has zeros in the places of the other processes. Collective.
std::vector<double> together(std::vector<double> mine) {
  MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

const std::vector<int> lengths = bench::in_form(std::vector<int>{200, 2000, 20000, 200000}, 2);
const auto usual_seeds = static_cast<unsigned>(bench::effort(4, 1));

struct RecordedCodelet {
  double first_s = 0.0;
  double switch_s = 0.0;
  double mean_s = 0.0;
  std::vector<double> samples;
};

struct Table {
  std::string name;
  const adcl::FunctionSet* set = nullptr;
  std::vector<Candidate> candidates;
  std::vector<RecordedCodelet> codelets;
};

/// Mean without the smallest and the largest fifth of the times.
double trimmed(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto cut = static_cast<std::ptrdiff_t>(values.size() / 5);
  return std::accumulate(values.begin() + cut, values.end() - cut, 0.0) /
         static_cast<double>(static_cast<std::ptrdiff_t>(values.size()) - 2 * cut);
}

/// Computed as in tools/make_prior.py.
adcl::codelets::ExchangeSize exchange_size_of(const Json& setting) {
  const double side = setting.at("side").get<double>();
  const double dimensions = setting.at("dimensions").get<double>();
  const double faces = setting.at("periodic").get<bool>() ? 2.0 * dimensions : 1.0;
  const bool corners = setting.at("corners").get<bool>();
  const double points = faces * std::pow(side, dimensions - 1.0) + (corners ? 12.0 * side + 8.0 : 0.0);
  const double messages = faces + (corners ? 20.0 : 0.0);
  return {8.0 * points / messages, messages, setting.at("fields").get<double>()};
}

const adcl::FunctionSet& set_of(const Json& setting) {
  const std::string name = setting.value("set", "neighborhood");
  const auto sets = adcl::codelets::sets();
  return std::find_if(sets.begin(), sets.end(), [&](const auto& one) { return one.set().name == name; })->set();
}

/// Expectations from the tables of other libraries.
std::vector<adcl::Expectation> expected_of(const adcl::FunctionSet& set, const Json& setting,
                                           const std::string& library) {
  return setting.contains("set")
             ? adcl::codelets::expected_of(set, setting.at("bytes").get<std::int64_t>(), library, library)
             : adcl::codelets::expected_of(exchange_size_of(setting), library, library);
}

std::vector<Table> read_tables(const std::string& folder, bool network) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Table> tables;
  for (const auto& file : files) {
    std::ifstream stream(file);
    const Json document = Json::parse(stream);
    const std::string stem = file.stem().string();
    const std::string library = stem.substr(0, stem.find('-'));
    for (const Json& setting : document.at("settings")) {
      Table table;
      table.name = stem + "." + setting.at("name").get<std::string>();
      table.set = &set_of(setting);
      const auto expected = expected_of(*table.set, setting, library);
      const auto& rows = table.set->codelets;
      for (std::size_t place = 0; place < rows.size(); ++place) {
        const adcl::Codelet& row = rows[place];
        if (const auto found = setting.at("codelets").find(row.name); found != setting.at("codelets").end()) {
          RecordedCodelet codelet;
          codelet.first_s = found->at("first_us").get<double>() * 1e-6;
          codelet.switch_s = found->at("switch_us").get<double>() * 1e-6;
          for (const Json& sample : found->at("samples_us")) {
            codelet.samples.push_back(sample.get<double>() * 1e-6);
          }
          codelet.mean_s = network ? mean_of(codelet.samples) : trimmed(codelet.samples);
          table.candidates.push_back(
              {row.name, row.attributes, expected.empty() ? adcl::Expectation{} : expected[place]});
          table.codelets.push_back(std::move(codelet));
        }
      }
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

/// Results of one program: its time divided by the time of the best codelet, and of the table's first codelet.
struct Program {
  double over_best = 0.0;
  double over_first = 0.0;
  double regret = 0.0;   ///< regret of the codelet that ran last
  double decided = 0.0;  ///< 1: the search was over
};

Program replay_program(const Logic& logic, const Table& table, int starts, unsigned seed, bool network) {
  const auto search = make_search(logic, table.candidates, *table.set);
  std::vector<std::minstd_rand> engines;
  for (std::size_t i = 0; i < table.codelets.size(); ++i) {
    std::seed_seq own{seed, static_cast<unsigned>(i)};
    engines.emplace_back(own);
  }
  std::vector<bool> made(table.codelets.size(), false);
  double total_s = 0.0;
  int last = -1;
  std::size_t position = 0;
  const int done = run_search(*search, starts, [&](int candidate) {
    const auto place = static_cast<std::size_t>(candidate);
    const RecordedCodelet& codelet = table.codelets[place];
    std::uniform_int_distribution<std::size_t> any(0, codelet.samples.size() - 1);
    position = network && candidate == last ? (position + 1) % codelet.samples.size() : any(engines[place]);
    double seconds = codelet.samples[position];
    double cost_s = codelet.mean_s;
    if (!made[place]) {
      search->spend(candidate, std::max(0.0, codelet.first_s - codelet.mean_s));
      cost_s = codelet.first_s;
      made[place] = true;
    } else if (candidate != last) {
      seconds = codelet.switch_s;
      cost_s = codelet.switch_s;
    }
    search->spend(candidate, seconds);
    last = candidate;
    total_s += cost_s;
    return seconds;
  });
  const auto by_mean = [](const RecordedCodelet& a, const RecordedCodelet& b) { return a.mean_s < b.mean_s; };
  const double best_s = std::min_element(table.codelets.begin(), table.codelets.end(), by_mean)->mean_s;
  const int winner = search->verdict() ? search->verdict()->winner : search->next().candidate;
  const double winner_s = table.codelets[static_cast<std::size_t>(winner)].mean_s;
  total_s += winner_s * (starts - done);
  const double first_s = table.codelets.front().first_s + table.codelets.front().mean_s * (starts - 1);
  return {total_s / (best_s * starts), total_s / first_s, winner_s / best_s - 1.0, search->verdict() ? 1.0 : 0.0};
}

/// Selection of the replays on recorded times.
struct Replay {
  std::string search;     ///< empty: all
  unsigned seeds = 0;     ///< programs of each length on each table; 0: the usual number
  bool programs = false;  ///< adds the figures of each program to the context
};

/// Reads "search=NAME", "seeds=N" or "programs"; false for any other word.
bool read_replay_option(std::string_view word, Replay& replay) {
  constexpr std::string_view search = "search=";
  constexpr std::string_view seeds = "seeds=";
  if (word.starts_with(search)) {
    replay.search = word.substr(search.size());
  } else if (word.starts_with(seeds)) {
    const auto [end, error] = std::from_chars(word.data() + seeds.size(), word.data() + word.size(), replay.seeds);
    return error == std::errc() && end == word.data() + word.size() && replay.seeds > 0;
  } else if (word == "programs") {
    replay.programs = true;
  } else {
    return false;
  }
  return true;
}

/// Results of the programs of all tables and seeds, one vector for each member of Program. Collective.
std::map<std::string, std::vector<double>> programs_of(const Logic& logic, const std::vector<Table>& tables, int starts,
                                                       unsigned seeds, bool network) {
  std::map<std::string, std::vector<double>> found;
  for (const char* name : {"over_best", "over_first", "regret", "decided"}) {
    found[name].assign(tables.size() * seeds, 0.0);
  }
  for (std::size_t t = static_cast<std::size_t>(rank_of()); t < tables.size();
       t += static_cast<std::size_t>(size_of())) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
      const Program program = replay_program(logic, tables[t], starts, seed + 1, network);
      const std::size_t place = t * seeds + seed;
      found["over_best"][place] = program.over_best;
      found["over_first"][place] = program.over_first;
      found["regret"][place] = program.regret;
      found["decided"][place] = program.decided;
    }
  }
  for (auto& [name, values] : found) {
    values = together(std::move(values));
  }
  return found;
}

double geometric_mean(std::vector<double> values) {
  std::transform(values.begin(), values.end(), values.begin(), [](double value) { return std::log(value); });
  return std::exp(mean_of(values));
}

/// Replays searches on the tables of \p machine and adds to \p context and \p figures. Collective.
void replay_recorded(const std::string& machine, const Replay& replay, Json& context, Json& figures) {
  const bool network = machine == "network";
  const std::string folder = "data/recorded/" + (machine == "recorded" ? "codelets" : machine);
  const std::vector<Table> tables = bench::in_form(read_tables(folder, network), 2);
  context[machine + "_settings"] = tables.size();
  const unsigned seeds = replay.seeds > 0 ? replay.seeds : usual_seeds;
  for (const Logic& logic : adcl::select::table()) {
    if (!replay.search.empty() && logic.name != replay.search) {
      continue;
    }
    for (const int starts : lengths) {
      auto programs = programs_of(logic, tables, starts, seeds, network);
      const std::vector<double>& regrets = programs["regret"];
      const std::vector<double>& over_first = programs["over_first"];
      const auto within = std::count_if(regrets.begin(), regrets.end(), [](double r) { return r <= 0.02; });
      const auto add = [&](const char* name, double value) {
        figures.push_back(bench::figure(machine + name + "." + logic.name + "." + std::to_string(starts), value));
      };
      add("_time_over_best", geometric_mean(programs["over_best"]));
      add("_time_over_first", geometric_mean(over_first));
      add("_worst_time_over_first", *std::max_element(over_first.begin(), over_first.end()));
      add("_regret", mean_of(regrets));
      add("_within_2_percent", static_cast<double>(within) / static_cast<double>(regrets.size()));
      add("_decided", mean_of(programs["decided"]));
      if (replay.programs) {
        context["programs"][machine][logic.name][std::to_string(starts)] = {
            {"seeds", seeds}, {"regret", regrets}, {"over_best", programs["over_best"]}, {"over_first", over_first}};
      }
    }
  }
}

const int problems = bench::effort(400, 40);
constexpr double exchange_s = 1e-4;

struct Machine {
  const char* name;
  double spread;    ///< standard deviation of the logarithm of a time
  double outliers;  ///< probability of an outlier
  double wave;      ///< factor of the slow wave in the logarithm
};

constexpr std::array<Machine, 3> machines{
    {{"quiet", 0.05, 0.001, 0.0}, {"noisy", 0.3, 0.02, 0.1}, {"oversubscribed", 0.8, 0.1, 0.15}}};

/// Result of one search.
struct Outcome {
  double regret = 0.0;  ///< regret of the winner, relative to the fastest time
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

Outcome search_once(const Logic& logic, const std::vector<Candidate>& candidates, const std::vector<double>& times,
                    const Machine& machine, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto search = make_search(logic, candidates, adcl::codelets::neighborhood());
  const double best_s = *std::min_element(times.begin(), times.end());
  Outcome outcome;
  double wave = 0.0;
  int previous = -1;
  outcome.starts = run_search(*search, INT_MAX, [&](int candidate) {
    const double mean_s = times[static_cast<std::size_t>(candidate)];
    const double switching_s = candidate != previous ? exchange_s : 0.0;
    wave = 0.98 * wave + 0.2 * normal(engine);
    double seconds = mean_s * std::exp(machine.spread * normal(engine) - machine.spread * machine.spread / 2.0 +
                                       machine.wave * wave);
    seconds += switching_s + (uniform(engine) < machine.outliers ? 10.0 * exchange_s : 0.0);
    previous = candidate;
    outcome.lost += (mean_s + switching_s - best_s) / best_s;
    return seconds;
  });
  const double winner_s = times[static_cast<std::size_t>(search->verdict()->winner)];
  outcome.regret = winner_s / best_s - 1.0;
  outcome.below_first = winner_s > times.front() ? 1.0 : 0.0;
  return outcome;
}

/// The outcomes of all problems. Collective.
std::vector<Outcome> search_all(const Logic& logic, const Machine& machine) {
  const auto candidates = candidates_of_table();
  std::vector<double> mine(problems * numbers_of_outcome, 0.0);
  for (int problem = rank_of(); problem < problems; problem += size_of()) {
    std::mt19937_64 engine(static_cast<std::uint64_t>(problem));
    const auto times = times_of(candidates, engine);
    const Outcome outcome =
        search_once(logic, candidates, times, machine, static_cast<std::uint64_t>(problem) + 1000000);
    const auto place = mine.begin() + problem * static_cast<std::ptrdiff_t>(numbers_of_outcome);
    std::copy_n(std::array{outcome.regret, outcome.lost, outcome.starts, outcome.below_first}.begin(),
                numbers_of_outcome, place);
  }
  const std::vector<double> all = together(std::move(mine));
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
  Replay replay;
  std::vector<std::string> only;
  std::copy_if(words.begin(), words.end(), std::back_inserter(only),
               [&](const std::string& word) { return !read_replay_option(word, replay); });
  const auto options = default_options(adcl::select::table().front(), adcl::measure::table().front());
  Json context = {{"problems", problems}, {"measurements", options.integer("ADCL_MEASUREMENTS")}};
  Json figures = Json::array();
  const auto wanted = [&](const char* name) {
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  };
  for (const char* machine : {"recorded", "collectives", "network"}) {
    if (wanted(machine)) {
      replay_recorded(machine, replay, context, figures);
    }
  }
  for (const Machine& machine : machines) {
    if (!wanted(machine.name)) {
      continue;
    }
    std::map<std::string, std::vector<Outcome>> outcomes;
    for (const Logic& logic : adcl::select::table()) {
      outcomes[logic.name] = search_all(logic, machine);
      context[machine.name][logic.name] = row_of(outcomes[logic.name]);
    }
    for (const Logic& logic : adcl::select::table()) {
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
