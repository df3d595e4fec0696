// ranks: 1 2 3
// timeout: 120
// Tests the states of a tuner: each transition, the objects that end with it, and that all ranks make the transition at
// the same start.
#include <mpi.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "mpi/agreement.hpp"
#include "support/scripted_tuner.hpp"
#include "support/suite.hpp"
#include "tuner/tuner.hpp"

/// Replaces MPI_Wtime of the MPI library: the program sets the times.
double MPI_Wtime() { return adcl::test::clock_s; }

namespace adcl::test {
namespace {

using runtime::ModeCandidate;

constexpr int measurements = 10;  ///< default number of measurements of each candidate

using Context = std::shared_ptr<mpi::Context>;

/// The state, the winner, and the numbers of starts are the same on all ranks.
void expect_agreed(Suite& suite, const Program& program, const std::string& when) {
  const runtime::Tuner& tuner = *program.tuner;
  const std::array<long long, 5> mine{static_cast<long long>(tuner.state().index()), program.winner(), tuner.starts(),
                                      tuner.production(), tuner.decisions()};
  std::array<long long, 5> most{};
  std::array<long long, 5> least{};
  MPI_Allreduce(mine.data(), most.data(), 5, MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(mine.data(), least.data(), 5, MPI_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
  suite.expect(most == least, when + ": ranks differ");
  suite.expect(tuner.starts() == program.starts, text(when, ": ", tuner.starts(), " starts of ", program.starts));
}

void explores_then_runs_the_winner(Suite& suite, const Context& context) {
  suite.step("explores, then runs the winner");
  Program program(context, {});
  suite.expect(program.is<runtime::Exploring>(), "it does not explore");
  program.decide();
  suite.expect(program.is<runtime::Production>() && program.winner() == 1 && program.tuner->decisions() == 1,
               text("decided for ", program.winner()));
  // The start after the batch's last start posts the numbers of the batch; the next start waits for them and begins a
  // check.
  suite.expect(program.starts == 4 * measurements + 2, text("decided at start ", program.starts));
  const int timed = program.timed - 1;
  program.run(10 * (between_checks + measure::Drift::samples_per_check + 1) - 1);
  suite.expect(program.is<runtime::Production>() && program.tuner->decisions() == 1,
               "constant times are treated as a disturbance");
  suite.expect(program.timed - timed == 10 * measure::Drift::samples_per_check,
               text(program.timed - timed, " starts of 10 checks are timed"));
  expect_agreed(suite, program, "production");
}

/// Lease, comparison and winner end with the decision.
void withdraws_a_decision(Suite& suite, const Context& context) {
  suite.step("the application requests a verification");
  Program program(context, {});
  program.decide();
  program.run(5 * between_checks);
  const auto held = program.tuner->lease();
  program.tuner->reopen("test");
  suite.expect(program.is<runtime::Verifying>() && !program.tuner->has_winner(), "nothing is verified");
  suite.expect(held->left <= 0 && program.tuner->lease() != held, "the lease outlives the decision");
  suite.expect(!program.tuner->compared_candidate().has_value() && program.winner() == 0,
               "the withdrawn winner is still the winner");
  program.decide();
  const auto* production = std::get_if<runtime::Production>(&program.tuner->state());
  suite.expect(production != nullptr && production->confirmed && program.winner() == 1, "the winner is not confirmed");
  suite.expect(program.tuner->decisions() == 2, text(program.tuner->decisions(), " decisions"));
  expect_agreed(suite, program, "confirmed");
}

/// The application requests a verification after the winner has become slower than another candidate: all candidates
/// are measured again, without a re-check.
void explores_after_a_failed_verification(Suite& suite, const Context& context) {
  suite.step("the winner has not kept its time");
  Program program(context, {});
  program.decide();
  program.operation_s[1] = 200e-6;
  program.tuner->reopen("test");
  program.run_until([&] { return !program.is<runtime::Verifying>(); });
  suite.expect(program.is<runtime::Exploring>(), "no search begins");
  program.decide();
  suite.expect(program.winner() == 2 && program.tuner->decisions() == 2,
               text("decision ", program.tuner->decisions(), " for ", program.winner()));
  expect_agreed(suite, program, "another winner");
}

/// The former winner is slow only while the search runs.
void rechecks_the_former_winner_after_a_slowdown(Suite& suite, const Context& context) {
  suite.step("a slowdown ends during the search");
  Program program(context, {});
  program.decide();
  program.run(12 * between_checks);
  program.operation_s[1] = 200e-6;
  program.run_until([&] { return !program.tuner->decided(); });
  suite.expect(program.is<runtime::Verifying>(), "the slowdown is not noticed");
  program.run_until([&] { return program.tuner->decisions() == 2; });
  suite.expect(program.is<runtime::Verifying>(), "the former winner is not re-checked");
  program.operation_s[1] = 20e-6;
  program.decide();
  suite.expect(program.winner() == 1 && program.tuner->decisions() == 3,
               text("decision ", program.tuner->decisions(), " for ", program.winner()));
  expect_agreed(suite, program, "re-checked");
}

/// All candidates become slow, and fast again after the next decision: the earlier winner is verified.
void verifies_results_from_before_a_slowdown(Suite& suite, const Context& context) {
  suite.step("a slowdown ends after the decision");
  Program program(context, {});
  program.decide();
  program.run(12 * between_checks);
  program.operation_s = {600e-6, 900e-6, 300e-6, 400e-6};
  program.run_until([&] { return program.tuner->decisions() == 2; });
  suite.expect(program.winner() == 2, text("in the slowdown ", program.winner(), " wins"));
  program.run(12 * between_checks);
  program.operation_s = {60e-6, 20e-6, 30e-6, 40e-6};
  program.run_until([&] { return !program.tuner->decided(); });
  suite.expect(program.is<runtime::Verifying>(), "the end of the slowdown is not noticed");
  program.decide();
  const auto* production = std::get_if<runtime::Production>(&program.tuner->state());
  suite.expect(production != nullptr && production->confirmed && program.winner() == 1,
               text("after the slowdown ", program.winner(), " wins"));
  expect_agreed(suite, program, "after the slowdown");
}

/// The slowdown increases twice before it ends: the winner from before both is verified.
void verifies_results_from_before_two_slowdowns(Suite& suite, const Context& context) {
  suite.step("two slowdowns end after the third decision");
  Program program(context, {});
  program.decide();
  program.run(12 * between_checks);
  int decisions = 1;
  for (const auto& slow : {std::vector{600e-6, 900e-6, 300e-6, 400e-6}, {6e-3, 9e-3, 4e-3, 3e-3}}) {
    program.operation_s = slow;
    ++decisions;
    program.run_until([&] { return program.tuner->decisions() == decisions; });
    program.run(12 * between_checks);
  }
  suite.expect(program.winner() == 3, text("in the second slowdown ", program.winner(), " wins"));
  program.operation_s = {60e-6, 20e-6, 30e-6, 40e-6};
  program.run_until([&] { return !program.tuner->decided(); });
  program.decide();
  const auto* production = std::get_if<runtime::Production>(&program.tuner->state());
  suite.expect(production != nullptr && production->confirmed && program.winner() == 1,
               text("after the slowdowns ", program.winner(), " wins"));
  expect_agreed(suite, program, "after two slowdowns");
}

/// By default, a check begins a quarter of a second after the previous check.
void checks_four_times_a_second(Suite& suite, const Context& context) {
  suite.step("checks by time");
  Setup setup;
  setup.operation_s = {100e-6, 200e-6, 300e-6, 400e-6};
  setup.monitor = "auto";
  Program program(context, setup);
  program.decide();
  const auto next_check = [&program] {
    program.run_until([&program, before = program.timed] { return program.timed > before; });
  };
  next_check();
  program.run(measure::Drift::samples_per_check);
  const double begin_s = clock_s;
  next_check();
  suite.expect(clock_s - begin_s > 0.24 && clock_s - begin_s < 0.26, text(clock_s - begin_s, " s between checks"));
  expect_agreed(suite, program, "checked");
}

void keeps_the_winner_if_another_is_dropped(Suite& suite, const Context& context) {
  suite.step("another candidate is dropped in production");
  Program program(context, {});
  program.decide();
  program.run(2 * between_checks);
  const auto held = program.tuner->lease();
  program.tuner->drop(ModeCandidate{2}, "test", 1);
  suite.expect(program.is<runtime::Production>() && program.winner() == 1 && program.tuner->decisions() == 1,
               text("decision ", program.tuner->decisions(), " for ", program.winner()));
  suite.expect(program.tuner->lease() == held, "the lease has ended");
  expect_agreed(suite, program, "the same winner");
}

/// No start runs the dropped candidate on the lease of the pause.
void ends_a_pause_with_a_drop(Suite& suite, const Context& context) {
  suite.step("the running candidate is dropped in a pause");
  Setup setup;
  setup.operation_s = {1e-6, 1e-6, 1e-6, 1e-6};
  setup.search = "model";
  Program program(context, setup);
  program.start();
  program.tuner->add_preparation(1e-3);  // further trials are too expensive for now
  program.run_until([&program] { return program.lease != nullptr && program.lease->left > 0; });
  suite.expect(!program.tuner->decided() && program.lease != nullptr, "the search has no pause");
  const auto held = program.lease;
  program.tuner->drop(ModeCandidate{program.last}, "test", 1);
  suite.expect(held == nullptr || held->left <= 0, "the lease of the pause remains");
  expect_agreed(suite, program, "a drop in a pause");
}

void replaces_a_dropped_winner(Suite& suite, const Context& context) {
  suite.step("the winner is dropped");
  Program program(context, {});
  program.decide();
  program.run(2 * between_checks);
  const auto held = program.tuner->lease();
  program.tuner->drop(ModeCandidate{1}, "test", 1);
  suite.expect(program.is<runtime::Production>() && program.winner() == 2 && program.tuner->decisions() == 2,
               text("decision ", program.tuner->decisions(), " for ", program.winner()));
  suite.expect(held->left <= 0 && program.tuner->lease() != held, "the lease outlives the decision");
  program.run(10 * between_checks);
  expect_agreed(suite, program, "the next winner");
}

/// A codelet may be dropped at any start, also during the agreement on a batch or a check.
void drops_at_any_start(Suite& suite, const Context& context) {
  suite.step("drops at any start");
  for (int before = 1; before < 100; ++before) {
    Program program(context, {});
    program.run(before);
    for (const int candidate : {1, 0, 3}) {
      program.tuner->drop(ModeCandidate{candidate}, "test", 1);
    }
    program.lease = nullptr;
    suite.expect(program.is<runtime::Production>() && program.winner() == 2, text("after ", before, " starts"));
    program.run(4 * between_checks);
    expect_agreed(suite, program, text("drops after ", before, " starts"));
  }
}

/// The search continues with the other candidates and finds the fastest of them.
void continues_after_a_drop(Suite& suite, const Context& context, const std::string& search) {
  suite.step(text("one drop at any start: ", search));
  Setup setup;
  setup.search = search;
  for (int before = 1; before < 60; ++before) {
    for (const int candidate : {0, 1, 3}) {
      Program program(context, setup);
      program.run(before);
      program.tuner->drop(ModeCandidate{candidate}, "test", 1);
      program.lease = nullptr;
      program.decide();
      const int expected = candidate == 1 ? 2 : 1;
      suite.expect(program.winner() == expected,
                   text(candidate, " dropped after ", before, " starts: ", program.winner(), " wins"));
      program.run(between_checks);
      expect_agreed(suite, program, text("a drop after ", before, " starts"));
    }
  }
}

/// All other candidates are explored, regardless of the measurements so far.
void explores_if_the_verified_candidate_is_dropped(Suite& suite, const Context& context) {
  suite.step("the winner is dropped while it is verified");
  for (int before = 0; before < 20; ++before) {
    Program program(context, {});
    program.decide();
    program.tuner->reopen("test");
    program.run(before);
    program.tuner->drop(ModeCandidate{1}, "test", 1);
    program.lease = nullptr;
    program.decide();
    suite.expect(program.winner() == 2, text("after ", before, " starts ", program.winner(), " wins"));
    program.run(between_checks);
    expect_agreed(suite, program, text("dropped after ", before, " starts"));
  }
}

/// The candidate fails on the last rank only; the other ranks detect it in a check.
void fails_with_the_last_candidate(Suite& suite, const Context& context) {
  suite.step("the last candidate fails");
  Setup setup;
  setup.operation_s = {20e-6, 60e-6};
  setup.fallible = true;
  Program program(context, setup);
  program.decide();
  for (const int candidate : {0, 1}) {
    program.run(3 * between_checks);
    if (suite.rank() == suite.size() - 1) {
      program.tuner->add_failure(ModeCandidate{candidate}, "test");
    }
    suite.expect(program.tuner->final_failure().empty(), "a candidate is left");
    program.run_until([&] { return program.tuner->decisions() == 2 || !program.tuner->final_failure().empty(); });
    expect_agreed(suite, program, "failed");
  }
  program.run_until([&] { return !program.tuner->final_failure().empty(); });
  suite.expect(program.is<runtime::Exhausted>() && !program.tuner->timed(), "the tuner continues");
  expect_agreed(suite, program, "exhausted");
}

/// Three similar problems: both later searches wait for the first search, because the second search also waits.
void waits_for_a_running_search(Suite& suite, const Context& context) {
  suite.step("two searches wait for another search");
  Setup setup;
  setup.history = fresh_folder(suite, "tuner_states").string();
  Program first(context, setup);
  first.tuner->take_advice();
  setup.problem = 2;
  Program second(context, setup);
  second.tuner->take_advice();
  setup.problem = 3;
  Program third(context, setup);
  third.tuner->take_advice();
  const auto* waits = std::get_if<runtime::Waiting>(&second.tuner->state());
  const auto* also_waits = std::get_if<runtime::Waiting>(&third.tuner->state());
  suite.expect(first.is<runtime::Exploring>() && waits != nullptr && also_waits != nullptr, "a search does not wait");
  suite.expect(waits != nullptr && also_waits != nullptr && waits->awaited == also_waits->awaited,
               "the third search waits for a search that waits");
  expect_agreed(suite, third, "waiting");
  fresh_folder(suite, "tuner_states");
}

/// The stored winner is verified, with an unchanged and with a changed time.
void verifies_a_stored_winner(Suite& suite, const Context& context) {
  suite.step("a stored winner");
  Program earlier(context, {});
  earlier.decide();
  std::vector<measure::Numbers> known;
  for (const select::Knowledge& one : earlier.tuner->knowledge()) {
    known.push_back(select::as_prior(one));
  }
  for (const bool keeps : {true, false}) {
    Program program(context, {});
    program.operation_s[1] = keeps ? 20e-6 : 200e-6;
    program.tuner->verify(known, 1);
    suite.expect(program.is<runtime::Verifying>(), "it is not verified");
    program.start();
    const auto held = program.tuner->lease();  // its first starts are not timed
    program.run_until([&] { return !program.is<runtime::Verifying>(); });
    suite.expect(keeps ? program.is<runtime::Production>() : program.is<runtime::Exploring>(),
                 keeps ? "it is not confirmed" : "no search begins");
    program.decide();
    suite.expect(held != nullptr && held->left <= 0 && program.tuner->lease() != held,
                 "the decision has the lease of the search");
    const auto* production = std::get_if<runtime::Production>(&program.tuner->state());
    suite.expect(production != nullptr && production->confirmed == keeps && program.winner() == (keeps ? 1 : 2),
                 text("winner ", program.winner()));
    expect_agreed(suite, program, "verified");
  }
}

/// Both candidates that a similar problem suggests are dropped: the other candidates are tried. The drop may occur at
/// any start, also during the agreement on the two.
void explores_if_advised_candidates_are_dropped(Suite& suite, const Context& context, const std::string& search) {
  suite.step(text("the candidates that similar problems suggest are dropped: ", search));
  Setup setup;
  setup.operation_s = {20e-6, 40e-6, 80e-6, 160e-6};
  setup.search = search;
  for (int before = 0; before < 50; ++before) {
    setup.history = fresh_folder(suite, "tuner_states").string();
    setup.problem = 1;
    {
      Program earlier(context, setup);
      earlier.tuner->take_advice();
      earlier.run_until([&] { return earlier.tuner->has_winner(); });
    }
    setup.problem = 2;
    Program program(context, setup);
    program.tuner->take_advice();
    suite.expect(!program.tuner->knowledge()[3].removed.empty(), "no candidate is left out");
    std::vector<int> named;
    for (int i = 0; i < 4; ++i) {
      if (program.tuner->knowledge()[static_cast<std::size_t>(i)].removed.empty()) {
        named.push_back(i);
      }
    }
    program.run(before);
    for (const int candidate : named) {
      program.tuner->drop(ModeCandidate{candidate}, "test", 1);
    }
    program.lease = nullptr;
    program.run_until([&] { return program.tuner->has_winner(); });
    suite.expect(program.winner() == static_cast<int>(named.size()),
                 text("after ", before, " starts ", program.winner(), " wins; ", named.size(), " were suggested"));
    expect_agreed(suite, program, text("advice after ", before, " starts"));
  }
  fresh_folder(suite, "tuner_states");
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    using namespace adcl::test;
    const auto context = adcl::mpi::Context::of(MPI_COMM_WORLD);
    explores_then_runs_the_winner(suite, context);
    withdraws_a_decision(suite, context);
    explores_after_a_failed_verification(suite, context);
    rechecks_the_former_winner_after_a_slowdown(suite, context);
    verifies_results_from_before_a_slowdown(suite, context);
    verifies_results_from_before_two_slowdowns(suite, context);
    checks_four_times_a_second(suite, context);
    keeps_the_winner_if_another_is_dropped(suite, context);
    ends_a_pause_with_a_drop(suite, context);
    replaces_a_dropped_winner(suite, context);
    drops_at_any_start(suite, context);
    for (const char* search : {"brute_force", "hypothesis", "model"}) {
      continues_after_a_drop(suite, context, search);
    }
    explores_if_the_verified_candidate_is_dropped(suite, context);
    fails_with_the_last_candidate(suite, context);
    waits_for_a_running_search(suite, context);
    verifies_a_stored_winner(suite, context);
    for (const char* search : {"brute_force", "model"}) {
      explores_if_advised_candidates_are_dropped(suite, context, search);
    }
  });
}
