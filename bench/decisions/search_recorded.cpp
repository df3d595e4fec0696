// Replays a program of a given number of starts on the times that bench_codelets has recorded. The first start of a
// codelet takes the recorded first time. The first execution after another codelet takes the time recorded for that
// case, and all others a recorded time drawn at random. Each codelet has its own random sequence, so two searches with
// the same seed get the same times. Expectations come from the tables of other MPI libraries.
//
// A search sees the drawn times, but its cost is computed from means, to exclude luck. On networks, where an operation
// sometimes waits for a retransmission, these are means of all times, and times are drawn in their recorded order. On
// other machines the means are trimmed, because other programs cause the rare long times there.
#include "decisions/search_recorded.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "codelets/collectives/prior.hpp"
#include "codelets/neighborhood/prior.hpp"
#include "codelets/sets.hpp"
#include "select/search.hpp"

namespace bench {
namespace {

const std::vector<int> lengths = in_form(std::vector<int>{200, 2000, 20000, 200000}, 2);
const auto usual_seeds = static_cast<unsigned>(effort(4, 1));

struct Codelet {
  double first_s = 0.0;
  double switch_s = 0.0;
  double mean_s = 0.0;
  std::vector<double> samples;
};

struct Table {
  std::string name;
  const adcl::FunctionSet* set = nullptr;
  std::vector<adcl::select::Candidate> candidates;
  std::vector<Codelet> codelets;
};

/// Mean without the lowest and the highest fifth of the times.
double trimmed(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto cut = static_cast<std::ptrdiff_t>(values.size() / 5);
  return std::accumulate(values.begin() + cut, values.end() - cut, 0.0) /
         static_cast<double>(static_cast<std::ptrdiff_t>(values.size()) - 2 * cut);
}

/// The same as in tools/make_prior.py.
adcl::codelets::ExchangeSize size_of(const Json& setting) {
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

/// Expected times from the tables of other libraries.
std::vector<adcl::Expectation> expected_of(const adcl::FunctionSet& set, const Json& setting,
                                           const std::string& library) {
  return setting.contains("set")
             ? adcl::codelets::expected_of(set, setting.at("bytes").get<std::int64_t>(), library, library)
             : adcl::codelets::expected_of(size_of(setting), library, library);
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
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
          Codelet codelet;
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

/// Result of a program, relative to as many starts of the best codelet and of the table's first codelet.
struct Program {
  double over_best = 0.0;
  double over_first = 0.0;
  double regret = 0.0;   ///< of the codelet that ran last
  double decided = 0.0;  ///< 1: the search was over
};

Program run(const adcl::select::Logic& logic, const Table& table, int starts, unsigned seed, bool network) {
  const auto& method = adcl::measure::find("heuristic");
  adcl::select::Parameters parameters;
  parameters.estimator = &method;
  parameters.options = adcl::OptionValues(logic.options);
  parameters.options.add(method.options);
  const auto search = logic.make(table.candidates, table.set->attributes, parameters);
  std::vector<std::minstd_rand> engines;
  for (std::size_t i = 0; i < table.codelets.size(); ++i) {
    std::seed_seq own{seed, static_cast<unsigned>(i)};
    engines.emplace_back(own);
  }
  std::vector<bool> made(table.codelets.size(), false);
  double total_s = 0.0;
  int last = -1;
  std::size_t position = 0;
  int done = 0;
  for (; done < starts && !search->verdict(); ++done) {
    const adcl::select::Ticket ticket = search->next();
    const auto place = static_cast<std::size_t>(ticket.candidate);
    const Codelet& codelet = table.codelets[place];
    std::uniform_int_distribution<std::size_t> any(0, codelet.samples.size() - 1);
    position = network && ticket.candidate == last ? (position + 1) % codelet.samples.size() : any(engines[place]);
    double seconds = codelet.samples[position];
    double cost_s = codelet.mean_s;
    if (!made[place]) {
      search->spend(ticket.candidate, std::max(0.0, codelet.first_s - codelet.mean_s));
      cost_s = codelet.first_s;
      made[place] = true;
    } else if (ticket.candidate != last) {
      seconds = codelet.switch_s;
      cost_s = codelet.switch_s;
    }
    search->spend(ticket.candidate, seconds);
    search->record(ticket, seconds);
    last = ticket.candidate;
    total_s += cost_s;
    if (search->ready()) {
      search->absorb(search->pending());
    }
  }
  const auto by_mean = [](const Codelet& a, const Codelet& b) { return a.mean_s < b.mean_s; };
  const double best_s = std::min_element(table.codelets.begin(), table.codelets.end(), by_mean)->mean_s;
  const int winner = search->verdict() ? search->verdict()->winner : search->next().candidate;
  const double winner_s = table.codelets[static_cast<std::size_t>(winner)].mean_s;
  total_s += winner_s * (starts - done);
  const double first_s = table.codelets.front().first_s + table.codelets.front().mean_s * (starts - 1);
  return {total_s / (best_s * starts), total_s / first_s, winner_s / best_s - 1.0, search->verdict() ? 1.0 : 0.0};
}

}  // namespace

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

void replay_recorded(const std::string& machine, const Replay& replay, Json& context, Json& figures) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool network = machine == "network";
  const std::string folder = "data/recorded/" + (machine == "recorded" ? "codelets" : machine);
  const std::vector<Table> tables = in_form(read_tables(folder, network), 2);
  context[machine + "_settings"] = tables.size();
  const unsigned seeds = replay.seeds > 0 ? replay.seeds : usual_seeds;
  for (const adcl::select::Logic& logic : adcl::select::table()) {
    if (!replay.search.empty() && logic.name != replay.search) {
      continue;
    }
    for (const int starts : lengths) {
      // sum of logarithms of both ratios, worst of both, regret, decided
      std::array<double, 4> sums{};
      std::array<double, 3> worst{};
      std::vector<double> regrets(tables.size() * seeds, 0.0);
      std::vector<double> over_best(regrets.size(), 0.0);
      std::vector<double> over_first(regrets.size(), 0.0);
      for (std::size_t t = static_cast<std::size_t>(rank); t < tables.size(); t += static_cast<std::size_t>(size)) {
        for (unsigned seed = 0; seed < seeds; ++seed) {
          const Program program = run(logic, tables[t], starts, seed + 1, network);
          sums[0] += std::log(program.over_best);
          sums[1] += std::log(program.over_first);
          sums[2] += program.regret;
          sums[3] += program.decided;
          worst[0] = std::max(worst[0], program.over_best);
          worst[1] = std::max(worst[1], program.over_first);
          worst[2] = std::max(worst[2], program.regret);
          regrets[t * seeds + seed] = program.regret;
          over_best[t * seeds + seed] = program.over_best;
          over_first[t * seeds + seed] = program.over_first;
        }
      }
      MPI_Allreduce(MPI_IN_PLACE, sums.data(), 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      MPI_Allreduce(MPI_IN_PLACE, worst.data(), 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      for (std::vector<double>* values : {&regrets, &over_best, &over_first}) {
        MPI_Allreduce(MPI_IN_PLACE, values->data(), static_cast<int>(values->size()), MPI_DOUBLE, MPI_SUM,
                      MPI_COMM_WORLD);
      }
      if (replay.programs) {
        context["programs"][machine][logic.name][std::to_string(starts)] = {
            {"seeds", seeds}, {"regret", regrets}, {"over_best", over_best}, {"over_first", over_first}};
      }
      const auto programs = static_cast<double>(regrets.size());
      const auto within = std::count_if(regrets.begin(), regrets.end(), [](double r) { return r <= 0.02; });
      const std::string which = logic.name + "." + std::to_string(starts);
      const auto add = [&](const char* name, double value) {
        figures.push_back(figure(machine + name + ("." + which), value));
      };
      add("_time_over_best", std::exp(sums[0] / programs));
      add("_time_over_first", std::exp(sums[1] / programs));
      add("_worst_time_over_first", worst[1]);
      add("_regret", sums[2] / programs);
      add("_within_2_percent", static_cast<double>(within) / programs);
      add("_decided", sums[3] / programs);
    }
  }
}

}  // namespace bench
