// ranks: 1 2 3
// timeout: 120
// Tests which starts a tuner counts, times, and drops: in pauses, checks, comparisons, and intervals.
#include <mpi.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "measure/stopwatch.hpp"
#include "output/trace.hpp"
#include "support/scripted_tuner.hpp"
#include "support/suite.hpp"
#include "tuner/tuner_group.hpp"

/// Replaces MPI_Wtime of the MPI library: the program sets the times.
double MPI_Wtime() { return adcl::test::clock_s; }

namespace adcl::test {
namespace {

using runtime::ModeCandidate;
using Context = std::shared_ptr<mpi::Context>;

constexpr int samples = measure::Drift::samples_per_check;

/// While a search pauses, each start counts as production, also the first start of a pause, and starts of another
/// request, which does not hold the lease of the pause.
void counts_pauses_as_production(Suite& suite, const Context& context) {
  suite.step("pauses of a search");
  Setup setup;
  setup.operation_s = {1e-6, 1e-6, 1e-6, 1e-6};
  setup.search = "model";
  Program program(context, setup);
  program.start();
  program.tuner->add_preparation(1e-3);  // further trials are too expensive for now
  int pauses = 0;
  int without_lease = 0;
  for (int i = 0; i < 1500 && !program.tuner->decided(); ++i) {
    if (i % 7 == 0 && program.lease != nullptr && program.lease->left > 0) {
      program.lease = nullptr;
      ++without_lease;
    }
    program.start();
    const auto untimed = program.starts - program.timed + static_cast<int>(program.pairs.size());
    pauses += program.lease != nullptr ? 1 : 0;
    if (!program.tuner->decided() && program.tuner->production() != untimed) {
      suite.fail(text("after ", program.starts, " starts, ", program.tuner->production(), " of ", untimed,
                      " untimed starts count as production"));
      return;
    }
  }
  suite.expect(pauses > 0 && without_lease > 0, text(pauses, " starts on a lease, ", without_lease, " without"));
}

/// A group of pairs delays the next check by its own starts only.
void comparisons_do_not_shift_checks(Suite& suite, const Context& context) {
  suite.step("the period of checks with comparisons");
  Program program(context, {});
  program.decide();
  program.run(4000);
  suite.expect(program.pairs.size() >= 24, text(program.pairs.size(), " starts of pairs"));
  const std::vector<int>& checked = program.checked;
  for (std::size_t i = samples; i < checked.size(); i += samples) {
    const auto is_between = [&](int start) { return start > checked[i - samples] && start < checked[i]; };
    const auto within = std::ranges::count_if(program.pairs, is_between);
    const auto period = checked[i] - checked[i - samples] - within;
    suite.expect(period == between_checks + samples + 1,
                 text("a check follows ", period, " starts after the last one", within > 0 ? ", with pairs" : ""));
  }
}

/// A trace of every start does not change a decision: only the starts of checks show whether the winner has changed.
void judges_only_checks(Suite& suite, const Context& context) {
  suite.step("starts outside of checks are slow");
  Setup setup;
  setup.trace = fresh_folder(suite, "tuner_starts").string();
  {
    Program program(context, setup);
    program.decide();
    program.run(10 * between_checks);
    const auto checked = program.checked.size();
    program.slow_outside_of_checks = true;
    program.run(10 * between_checks);
    suite.expect(program.tuner->decided() && program.tuner->decisions() == 1, "times outside of checks are judged");
    suite.expect(program.checked.size() >= checked + 8U * samples, "checks do not continue");
  }
  fresh_folder(suite, "tuner_starts");
}

/// Number of starts of a verification, in which two requests alternate, \p begins first.
int starts_of_verification(const Context& context, int begins) {
  Setup setup;
  setup.timing = "interval";
  Program program(context, setup);
  const auto decide = [&program](int request) {
    for (int i = 0; i < most_starts && !program.tuner->decided(); ++i) {
      program.start(request);
      request = 3 - request;
    }
  };
  decide(1);
  program.run(between_checks);
  program.tuner->reopen("test");
  const int before = program.starts;
  decide(begins);
  return program.starts - before;
}

/// No start of the next search joins an interval from before production.
void production_ends_an_interval(Suite& suite, const Context& context) {
  suite.step("an interval before production");
  const int first = starts_of_verification(context, 1);
  const int second = starts_of_verification(context, 2);
  suite.expect(first == second,
               text("a verification takes ", first, " starts, and ", second, " if the other request starts first"));
}

/// Number of this rank's trace records about dropped candidates.
int traced_drops(Suite& suite, const std::filesystem::path& folder) {
  runtime::flush_trace();
  std::ifstream file(folder / text("adcl.", suite.rank(), ".jsonl"));
  int drops = 0;
  for (std::string line; std::getline(file, line);) {
    drops += line.find(R"("event":"drop")") != std::string::npos ? 1 : 0;
  }
  return drops;
}

/// A codelet that was dropped fails again in an operation that had begun before.
void drops_once(Suite& suite, const Context& context) {
  suite.step("a dropped candidate fails");
  const auto folder = fresh_folder(suite, "tuner_drops");
  Setup setup;
  setup.fallible = true;
  setup.trace = folder.string();
  Program program(context, setup);
  program.decide();
  program.tuner->drop(ModeCandidate{2}, "first reason", 1);
  if (suite.rank() == suite.size() - 1) {
    program.tuner->add_failure(ModeCandidate{2}, "second reason");
  }
  program.run(3 * between_checks);
  program.tuner->reopen("test");
  const std::string& reason = program.tuner->knowledge()[2].removed;
  suite.expect(reason == "first reason", "it was dropped because of '" + reason + "'");
  const int drops = traced_drops(suite, folder);
  suite.expect(drops == 1, text("the trace contains ", drops, " drops"));
  program.tuner.reset();
  runtime::flush_trace();
  fresh_folder(suite, "tuner_drops");
}

/// The failure of a codelet does not end the checks of the winner's time.
void checks_continue_after_a_failure(Suite& suite, const Context& context) {
  suite.step("the winner becomes slower after another candidate has failed");
  Setup setup;
  setup.fallible = true;
  Program program(context, setup);
  program.decide();
  if (suite.rank() == suite.size() - 1) {
    program.tuner->add_failure(ModeCandidate{3}, "test");
  }
  program.run(12 * between_checks);
  suite.expect(program.tuner->decided() && program.tuner->knowledge()[3].removed.find("test") != std::string::npos,
               "it was not dropped: " + program.tuner->knowledge()[3].removed);
  program.operation_s[1] = 200e-6;
  program.run_until([&program] { return !program.tuner->decided(); });
  suite.expect(!program.tuner->decided(), "the slower winner stays");
}

/// A comparison ends if the first codelet is dropped, also directly before or during a pair.
void drops_end_a_comparison(Suite& suite, const Context& context) {
  suite.step("the first codelet is dropped around a comparison");
  Program pattern(context, {});
  pattern.run_until([&pattern] { return !pattern.pairs.empty(); });
  const int due = pattern.starts;
  for (int starts = due - 50; starts < due + 50; ++starts) {
    Program program(context, {});
    program.run(starts);
    const auto pairs = program.pairs.size();
    program.tuner->drop(ModeCandidate{0}, "test", 1);
    program.run(4 * between_checks);
    suite.expect(program.pairs.size() == pairs && program.tuner->decisions() == 1 && program.last == 1,
                 text("after a drop at start ", starts, ", ", program.pairs.size() - pairs, " starts of pairs run"));
  }
}

/// A former winner that was dropped is not re-checked after a slowdown.
void does_not_recheck_a_dropped_winner(Suite& suite, const Context& context) {
  suite.step("the former winner is dropped in a slowdown");
  Program program(context, {});
  program.decide();
  program.run(12 * between_checks);
  program.operation_s[1] = 200e-6;
  program.run_until([&program] { return program.is<runtime::Exploring>(); });
  program.tuner->drop(ModeCandidate{1}, "test", 1);
  program.decide();
  suite.expect(program.winner() == 2 && program.tuner->decisions() == 2,
               text("decision ", program.tuner->decisions(), " for ", program.winner()));
}

/// The search that another search waits for ends without a result: the other search begins.
void does_not_wait_for_itself(Suite& suite, const Context& context) {
  suite.step("an awaited search ends without a result");
  Setup setup;
  setup.history = fresh_folder(suite, "tuner_starts").string();
  std::optional<Program> first(std::in_place, context, setup);
  first->tuner->take_advice();
  setup.problem = 2;
  Program second(context, setup);
  second.tuner->take_advice();
  suite.expect(second.is<runtime::Waiting>(), "it does not wait");
  first.reset();
  second.start();
  suite.expect(second.is<runtime::Exploring>(), "it still waits");
  fresh_folder(suite, "tuner_starts");
}

/// A search waits for at most 1500 starts, also if it waits for one search after the other.
void waits_once(Suite& suite, const Context& context) {
  suite.step("a search waits for two searches");
  Setup setup;
  setup.history = fresh_folder(suite, "tuner_starts").string();
  std::optional<Program> first(std::in_place, context, setup);
  first->tuner->take_advice();
  setup.problem = 2;
  Program second(context, setup);
  second.tuner->take_advice();
  setup.problem = 3;
  Program third(context, setup);
  third.tuner->take_advice();
  third.run(1000);
  first.reset();
  second.start();
  third.start();
  suite.expect(second.is<runtime::Exploring>() && third.is<runtime::Waiting>(), "it does not wait for another search");
  third.run_until([&third] { return !third.is<runtime::Waiting>(); });
  suite.expect(third.starts > 1490 && third.starts < 1510, text("it waits for ", third.starts, " starts"));
  fresh_folder(suite, "tuner_starts");
}

/// The application supplies the time of a start twice: the last time counts.
void replaces_the_cost_of_a_start(Suite& suite, const Context& context) {
  suite.step("the cost of a start is replaced twice");
  const select::Subject subject;
  const runtime::Settings settings = runtime::Settings::from(OptionValues(runtime::option_table()));
  runtime::TunerLog log(*context, subject, settings, runtime::Mode::blocking);
  const select::Ticket ticket{0, 5, 0};
  log.spend({0, 4, 0}, 16.0);
  log.spend(ticket, 1.0);
  suite.expect(log.correct(ticket, 3.0) == 2.0 && log.correct(ticket, 4.0) == 1.0, "wrong differences");
  suite.expect(log.cost().operations_s == 20.0 && log.cost().starts == 2, text("cost ", log.cost().operations_s, " s"));
}

/// Several laps of one operation, for example of init and wait, count once each.
void adds_up_laps(Suite& suite) {
  suite.step("laps of a stopwatch");
  clock_s = 0.0;  // so that all sums are exact
  measure::library_time.operations_s = 0.0;
  measure::Stopwatch watch(true);
  for (const double seconds : {1.0, 2.0, 4.0}) {
    const measure::Stopwatch::Lap lap(watch);
    clock_s += seconds;
  }
  const double total_s = measure::library_time.operations_s;
  suite.expect(watch.seconds() == 7.0 && total_s == 7.0, text("laps of ", watch.seconds(), " s, in total ", total_s));
}

int candidates_in(const Context& context, const std::vector<int>& progress_depths, runtime::Mode mode) {
  select::Subject subject;
  subject.id = context->next_id();
  std::vector<runtime::Row> rows;
  std::vector<Capabilities> capabilities;
  for (const int depth : progress_depths) {
    rows.push_back(runtime::from_index<runtime::Row>(rows.size()));
    subject.candidates.push_back({text("depth ", depth), {}});
    capabilities.emplace_back();
    capabilities.back().nonblocking = true;
    capabilities.back().progress_depth = depth;
  }
  OptionValues values(runtime::option_table());
  values.set(runtime::find_option("ADCL_HISTORY"), "off");
  const auto settings = std::make_shared<const runtime::Settings>(runtime::Settings::from(std::move(values)));
  runtime::TunerGroup group(context, subject, settings, rows, capabilities, 1, 1);
  return static_cast<int>(group.for_mode(mode).knowledge().size());
}

/// Variants that differ in the calls of ADCL_Request_progress that they use are equal if there is no such call.
void admits_variants_of_progress(Suite& suite, const Context& context) {
  suite.step("variants of progress");
  for (const auto mode : {runtime::Mode::blocking, runtime::Mode::blocking_with}) {
    suite.expect(candidates_in(context, {0, 1, 2, 0}, mode) == 2, text(mode_name(mode), " admits variants"));
    suite.expect(candidates_in(context, {1, 2}, mode) == 2, text(mode_name(mode), " admits no candidate"));
  }
  for (const auto mode : {runtime::Mode::split, runtime::Mode::split_with, runtime::Mode::functions}) {
    suite.expect(candidates_in(context, {0, 1, 2, 0}, mode) == 4, text(mode_name(mode), " admits no variant"));
  }
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    using namespace adcl::test;
    const auto context = adcl::mpi::Context::of(MPI_COMM_WORLD);
    counts_pauses_as_production(suite, context);
    comparisons_do_not_shift_checks(suite, context);
    judges_only_checks(suite, context);
    production_ends_an_interval(suite, context);
    drops_once(suite, context);
    checks_continue_after_a_failure(suite, context);
    drops_end_a_comparison(suite, context);
    does_not_recheck_a_dropped_winner(suite, context);
    does_not_wait_for_itself(suite, context);
    waits_once(suite, context);
    replaces_the_cost_of_a_start(suite, context);
    adds_up_laps(suite);
    admits_variants_of_progress(suite, context);
  });
}
