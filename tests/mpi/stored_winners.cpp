// ranks: 1 2
// not smpi: all its ranks are one process
// Stored winners: all ranks ignore a winner that is not a candidate, and a winner that the program's calls contradict
// is replaced with its time.
#include <filesystem>
#include <memory>
#include <string>

#include "core/text.hpp"
#include "history/deferred.hpp"
#include "mpi/environment.hpp"
#include "support/suite.hpp"
#include "tuner/problem_history.hpp"

namespace adcl::test {
namespace {

namespace fs = std::filesystem;
using runtime::Mode;
using runtime::ProblemHistory;

constexpr std::uint64_t signatures = 7;

select::Subject some_subject() {
  select::Subject subject;
  subject.function_set = "some";
  subject.problem = "a problem";
  subject.candidates = {{"a", {}}, {"b", {}}};
  return subject;
}

history::Entry entry_of(const select::Subject& subject) {
  history::Entry entry;
  entry.identity = {subject.function_set, signatures, history::processor(), false, {"a", "b"}};
  entry.problem = subject.problem;
  entry.features = {{"bytes", 8.0}};
  return entry;
}

history::Decision decision_for(const std::string& winner) {
  history::Decision decision;
  decision.winner = winner;
  decision.winner_s = 1e-6;
  decision.reason = "measured";
  decision.estimates = {{winner, {1e-6, 1e-6, 0.0, 10.0, 0.0}, 1e-6}};
  decision.expected = {{"b", 1.5}};
  return decision;
}

/// The history of the problem in a folder that contains \p decision. Collective.
std::shared_ptr<ProblemHistory> with_stored(mpi::Context& context, const std::shared_ptr<history::Deferred>& deferred,
                                            const std::string& mode, const history::Decision& decision) {
  const select::Subject subject = some_subject();
  deferred->add(entry_of(subject), mode, decision, history::Outcome::decided);
  OptionValues values(runtime::option_table());
  values.set(runtime::find_option("ADCL_HISTORY"), deferred->folder());
  auto settings = runtime::Settings::from(std::move(values));
  settings.deferred_history = deferred;
  return ProblemHistory::of(context, std::make_shared<const runtime::Settings>(std::move(settings)), subject,
                            {{"bytes", 8.0}}, signatures, nullptr, false);
}

std::shared_ptr<history::Deferred> empty_folder() {
  return std::make_shared<history::Deferred>((fs::temp_directory_path() / "adcl_no_stored_winners").string());
}

void ignores_a_winner_that_is_not_a_candidate(Suite& suite, mpi::Context& context) {
  suite.step("the stored winner is not a candidate");
  const auto unknown = with_stored(context, empty_folder(), "start", decision_for("c"));
  suite.expect(unknown->prior(Mode::blocking) == nullptr, "a prior has no winner");
  const auto known = with_stored(context, empty_folder(), "start", decision_for("a"));
  const runtime::Prior* const prior = known->prior(Mode::blocking);
  suite.expect(prior != nullptr && prior->winner == runtime::Candidate{0}, "there is no prior with the winner");
}

void replaces_a_contradicted_winner(Suite& suite, mpi::Context& context) {
  suite.step("the program's calls contradict the stored winner");
  const auto deferred = empty_folder();
  const auto known = with_stored(context, deferred, "start_with", decision_for("a"));
  known->overrule(Mode::blocking_with, "b", 2e-6, "the calls take less time");
  known->overrule(Mode::blocking_with, "c", 1e-9, "not a candidate");
  known->overrule(Mode::blocking, "b", 1e-9, "no decision");
  if (suite.rank() != 0) {
    return;  // only rank 0 accesses the folder
  }
  const auto entry = deferred->find(entry_of(some_subject()).identity).entry;
  suite.expect(entry.has_value() && entry->decisions.size() == 1, "there is not one decision");
  const history::Decision& now = entry->decisions.at("start_with");
  suite.expect(now.winner == "b" && now.reason == "the calls take less time", "the winner is still " + now.winner);
  suite.expect(now.winner_s == 2e-6, text("the winner's time is ", now.winner_s));
  suite.expect(now.estimates.size() == 2 && now.estimates.back().judged_s == 2e-6, "its estimate is missing");
  suite.expect(now.expected.empty(), "it is still excluded");
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    const auto context = adcl::mpi::Context::of(MPI_COMM_WORLD);
    adcl::test::ignores_a_winner_that_is_not_a_candidate(suite, *context);
    adcl::test::replaces_a_contradicted_winner(suite, *context);
  });
}
