// ranks: 1 2 3
// timeout: 120
// ADCL_TIMING=interval: a search has a provisional winner when starts become irregular. The search is discarded, and a
// new search uses the times of operations. Nothing of the discarded search remains: its winner no longer leads and is
// not compared with the first codelet, similar searches do not receive its times, and the history stores the decision
// of the new search separately.
#include <mpi.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/text.hpp"
#include "support/suite.hpp"
#include "tuner/concurrent_search.hpp"
#include "tuner/tuner.hpp"

namespace {

double clock_s = 0.0;

}  // namespace

/// Replaces MPI_Wtime of the MPI library: the program sets the times.
double MPI_Wtime() { return clock_s; }

namespace adcl::test {
namespace {

namespace fs = std::filesystem;

constexpr int most_starts = 60000;
constexpr std::array<double, 4> operation_s{60e-6, 20e-6, 20.4e-6, 20.2e-6};

/// A program with one request that consults the tuner at each start.
class Program {
 public:
  Program(const std::shared_ptr<mpi::Context>& context, const fs::path& folder, runtime::Timing timing) {
    select::Subject subject;
    subject.id = context->next_id();
    subject.function_set = "four";
    subject.problem = "a problem";
    for (const char* name : {"a", "b", "c", "d"}) {
      subject.candidates.push_back({name, {}});
    }
    OptionValues values(runtime::option_table());
    values.set(runtime::find_option("ADCL_HISTORY"), folder.string());
    auto chosen = runtime::Settings::from(std::move(values));
    chosen.timing = timing;
    const auto settings = std::make_shared<const runtime::Settings>(std::move(chosen));
    const auto history = runtime::ProblemHistory::of(*context, settings, subject, {}, 1, nullptr, false);
    tuner_.emplace(*context, std::move(subject), settings, runtime::Mode::blocking, history);
    tuner_->seek_advice();
  }

  /// Every other timed start is followed by a pause of \p pause_s.
  void start(double pause_s) {
    const select::Ticket ticket = tuner_->next(1);
    const double seconds = operation_s.at(static_cast<std::size_t>(ticket.candidate));
    clock_s += seconds;
    if (tuner_->timed()) {
      tuner_->took(ticket, seconds, 1);
      pauses_ = !pauses_;
      clock_s += pauses_ ? pause_s : 0.0;
    }
  }
  /// Starts until there is a provisional winner, or until there is none.
  void run(bool settled, double pause_s) {
    for (int i = 0; i < most_starts && tuner_->settled() != settled; ++i) {
      start(pause_s);
    }
  }
  [[nodiscard]] const runtime::Tuner& tuner() const { return *tuner_; }

 private:
  std::optional<runtime::Tuner> tuner_;
  bool pauses_ = false;
};

long long decisions_in(const fs::path& folder, const std::string& way) {
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() != ".json") {
      continue;
    }
    std::ifstream text(file.path());
    const auto entry = nlohmann::json::parse(text);
    return entry.at("decisions").contains(way) ? entry.at("decisions").at(way).at("decisions").get<long long>() : -1;
  }
  return -1;
}

void leaves_nothing_behind(Suite& suite, const std::shared_ptr<mpi::Context>& context, const fs::path& folder) {
  suite.step("an earlier program, judged by operations");
  Program(context, folder, runtime::Timing::arrival).run(true, 0.0);
  suite.step("until a winner leads");
  Program program(context, folder, runtime::Timing::interval);
  const auto& tuner = program.tuner();
  program.run(true, 0.0);
  suite.expect(tuner.settled() && !tuner.decided(), "no provisional winner");
  suite.expect(tuner.winner() != runtime::first_candidate && tuner.compared().has_value(), "nothing is compared");
  const auto search = context->state<runtime::ConcurrentSearches>().all().back();
  suite.expect(!search->findings->empty(), "similar searches receive no times");
  suite.step("until the search is discarded");
  program.run(false, 1e-3);
  suite.expect(!tuner.settled(), "the search continues with irregular starts");
  suite.expect(!tuner.compared().has_value(), "the discarded winner is still compared");
  suite.expect(search->findings->empty(), "similar searches still receive times of intervals");
  suite.step("until a winner leads by operations");
  program.run(true, 0.0);
  suite.expect(tuner.settled(), "no winner by operations");
  if (suite.rank() == 0) {
    const long long before = decisions_in(folder, "start, from start to start");
    const long long after = decisions_in(folder, "start");
    suite.expect(before == 1 && after == 2, text("decisions in the history: ", before, " and ", after));
  }
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("adcl_discarded_search_" + std::to_string(suite.size()));
    if (suite.rank() == 0) {
      std::filesystem::remove_all(folder);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    adcl::test::leaves_nothing_behind(suite, adcl::mpi::Context::of(MPI_COMM_WORLD), folder);
    MPI_Barrier(MPI_COMM_WORLD);
    if (suite.rank() == 0) {
      std::filesystem::remove_all(folder);
    }
  });
}
