// ranks: 1 2 3 4
// A request works with any implementation of Decider. This decider runs candidates in turn, decides, grants a lease of
// a few starts, and withdraws its decision at the end of the lease.
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "request/request.hpp"
#include "support/suite.hpp"

struct ADCL_Request_s;

namespace adcl::test {
namespace {

using runtime::Candidate;
using runtime::ModeCandidate;

constexpr std::size_t functions = 3;
std::array<int, functions> ran{};

template <std::size_t I>
void work(ADCL_Request_s* /*request*/) {
  ++ran.at(I);
}

std::shared_ptr<runtime::FunctionSetObject> three_functions() {
  const auto none = std::make_shared<const AttributeSet>();
  return runtime::function_set({{work<0>, nullptr, none, {}, "first"},
                                {work<1>, nullptr, none, {}, "second"},
                                {work<2>, nullptr, none, {}, "third"}},
                               "counted");
}

std::array<int, functions> plans{};  ///< plans that exist

template <std::size_t I>
class Counted final : public Plan {
 public:
  Counted() { ++plans.at(I); }
  ~Counted() override { --plans.at(I); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  void start(const Buffers& /*buffers*/) override {}
  bool test() override { return true; }
  void wait() override {}
};

template <std::size_t I>
Codelet counted_codelet(const std::string& name) {
  Codelet row;
  row.name = name;
  row.algorithm = {[](const Problem& /*problem*/) { return std::optional<std::string>(); },
                   [](const Problem& /*problem*/) { return std::size_t{0}; },
                   [](const Problem& /*problem*/, mpi::Context& /*context*/,
                      const Buffers& /*buffers*/) -> PlanPointer { return std::make_unique<Counted<I>>(); },
                   nullptr};
  return row;
}

std::shared_ptr<runtime::FunctionSetObject> three_codelets() {
  auto object = std::make_shared<runtime::FunctionSetObject>();
  object->set.name = "plans";
  object->set.codelets = {counted_codelet<0>("first"), counted_codelet<1>("second"), counted_codelet<2>("third")};
  object->set.problem = [](const data::Parts& parts, mpi::Context& context) {
    FunctionSet set;
    set.name = "plans";
    return runtime::user_problem(set, parts, context);
  };
  object->siblings = {"plans"};
  return object;
}

/// Runs candidates in turn until each has a time; then runs the last candidate, with leases of a few starts.
class RoundRobin : public runtime::Decider {
 public:
  explicit RoundRobin(int granted) : granted_(granted), knowledge_(functions) {}

  select::Ticket next(std::int64_t /*request*/) override {
    ++asked_;
    if (decided()) {
      lease_->left = granted_;
    }
    return next_after_drop();
  }
  [[nodiscard]] bool timed() const noexcept override { return !decided(); }
  select::Ticket next_after_drop() override {
    return decided() ? select::Ticket{last, -1, 0}
                     : select::Ticket{static_cast<int>(measured.size() % functions), 0, 0};
  }
  void record_time(const select::Ticket& ticket, double seconds, std::int64_t /*request*/) override {
    measured.push_back(ticket.candidate);
    all_times_valid = all_times_valid && seconds >= 0.0;
    if (measured.size() % functions == 0) {
      lease_ = std::make_shared<runtime::LeaseCounter>();
      ++decisions_;
    }
  }
  void amend(const select::Ticket& /*ticket*/, double seconds, std::int64_t /*request*/) override { amended = seconds; }
  void drop(ModeCandidate /*candidate*/, const std::string& /*reason*/, std::int64_t /*request*/) override {}
  [[nodiscard]] bool is_last(ModeCandidate /*candidate*/) const override { return false; }
  void add_failure(ModeCandidate /*candidate*/, const std::string& /*reason*/) override {}
  [[nodiscard]] const std::string& final_failure() const noexcept override { return final_failure_; }
  void add_preparation(double /*seconds*/) override {}
  [[nodiscard]] std::shared_ptr<runtime::LeaseCounter> lease() override { return lease_; }
  void reopen(const std::string& /*reason*/) override {
    if (lease_ != nullptr) {
      lease_->left = 0;
      lease_.reset();
    }
  }
  [[nodiscard]] bool decided() const noexcept override { return lease_ != nullptr; }
  [[nodiscard]] bool has_winner() const noexcept override { return lease_ != nullptr; }
  [[nodiscard]] int decisions() const noexcept override { return decisions_; }
  [[nodiscard]] ModeCandidate winner() const noexcept override { return ModeCandidate{last}; }
  [[nodiscard]] std::span<const select::Knowledge> knowledge() const override { return knowledge_; }
  [[nodiscard]] int asked() const noexcept { return asked_; }

  std::vector<int> measured;
  double amended = 0.0;
  bool all_times_valid = true;

 private:
  static constexpr int last = static_cast<int>(functions) - 1;
  std::string final_failure_;  ///< empty: all can run
  int granted_;
  int asked_ = 0;
  int decisions_ = 0;
  std::shared_ptr<runtime::LeaseCounter> lease_;
  std::vector<select::Knowledge> knowledge_;
};

/// Has a provisional winner, the first candidate, from the start on in which the last candidate, which is much slower,
/// runs again.
class Provisional final : public RoundRobin {
 public:
  Provisional() : RoundRobin(0), times_(functions) {
    for (std::size_t i = 0; i < functions; ++i) {
      times_[i].judged_s = i == 0 ? 1.0 : 10.0;
    }
  }
  select::Ticket next(std::int64_t /*request*/) override { return {static_cast<int>(++started_ % functions), 0, 0}; }
  [[nodiscard]] bool timed() const noexcept override { return true; }
  void record_time(const select::Ticket& /*ticket*/, double /*seconds*/, std::int64_t /*request*/) override {}
  [[nodiscard]] bool has_winner() const noexcept override { return started_ >= 2 * functions - 1; }
  [[nodiscard]] ModeCandidate winner() const noexcept override { return ModeCandidate{0}; }
  [[nodiscard]] std::span<const select::Knowledge> knowledge() const override { return times_; }

 private:
  std::size_t started_ = functions - 1;
  std::vector<select::Knowledge> times_;
};

/// Deciders whose candidates are the request's candidates in reverse order.
class Reversed final : public runtime::Deciders {
 public:
  explicit Reversed(std::shared_ptr<runtime::Decider> turns) : turns_(std::move(turns)) {}
  runtime::Decider& for_mode(runtime::Mode /*mode*/) override {
    used_ = true;
    return *turns_;
  }
  [[nodiscard]] runtime::Decider* find(runtime::Mode /*mode*/) const override { return used_ ? turns_.get() : nullptr; }
  [[nodiscard]] Candidate candidate(runtime::Mode /*mode*/, ModeCandidate member) const override {
    return Candidate{static_cast<int>(functions) - 1 - static_cast<int>(member)};
  }

 private:
  std::shared_ptr<runtime::Decider> turns_;
  bool used_ = false;
};

std::shared_ptr<runtime::Request> request_of(const std::shared_ptr<mpi::Context>& context,
                                             std::shared_ptr<runtime::FunctionSetObject> set) {
  runtime::RequestParts parts;
  parts.set = std::move(set);
  parts.fields.resize(1);
  return runtime::Request::create(
      context, std::move(parts),
      std::make_shared<runtime::Settings>(runtime::Settings::from(OptionValues(runtime::option_table()))));
}

std::shared_ptr<runtime::Request> counted_request(const std::shared_ptr<mpi::Context>& context) {
  return request_of(context, three_functions());
}

std::string counts() { return text(ran[0], " ", ran[1], " ", ran[2]); }

void runs_in_turn(Suite& suite, const std::shared_ptr<mpi::Context>& context) {
  suite.step("a decider that runs candidates in turn");
  ran = {};
  constexpr int granted = 4;
  const auto turns = std::make_shared<RoundRobin>(granted);
  const auto request = counted_request(context);
  request->set_deciders(std::make_shared<Reversed>(turns));
  for (int i = 0; i < 3; ++i) {
    request->start();
  }
  suite.expect(ran == std::array{1, 1, 1}, "each function ran " + counts() + " times and should have run once");
  suite.expect(turns->measured == std::vector{0, 1, 2} && turns->all_times_valid,
               "the decider has not received the times");
  request->update(0.5);
  suite.expect(turns->amended == 0.5, "the decider has not received the application's time");
  suite.expect(request->decided() && request->winner() == "first", "the winner is " + request->winner());
  suite.expect(turns->asked() == 3, text("consulted ", turns->asked(), " times"));
  // Three times: one start that consults the decider, then the starts of the lease.
  for (int i = 0; i < 3 * (granted + 1); ++i) {
    request->start();
  }
  suite.expect(turns->asked() == 6, text("consulted ", turns->asked(), " times, with leases of ", granted, " starts"));
  suite.expect(ran == std::array{16, 1, 1}, "the winner ran " + counts());
}

void withdraws_a_decision(Suite& suite, const std::shared_ptr<mpi::Context>& context) {
  suite.step("a decision of two requests is withdrawn");
  ran = {};
  const auto turns = std::make_shared<RoundRobin>(1000000);
  const auto deciders = std::make_shared<Reversed>(turns);
  const auto first = counted_request(context);
  const auto second = counted_request(context);
  first->set_deciders(deciders);
  second->set_deciders(deciders);
  for (int i = 0; i < 5; ++i) {
    first->start();
    second->start();
  }
  suite.expect(ran == std::array{8, 1, 1}, "before: " + counts());
  first->verify();
  suite.expect(!first->decided() && !second->decided(), "the decision was not withdrawn");
  for (int i = 0; i < 3; ++i) {
    first->start();
  }
  suite.expect(ran == std::array{9, 2, 2}, "only the first request searches again: " + counts());
  second->start();
  first->start();
  suite.expect(ran == std::array{11, 2, 2}, "after: " + counts());
  suite.expect(turns->asked() == 3 + 2 + 3 + 2, text("consulted ", turns->asked(), " times"));
}

/// A provisional winner makes the plans of slower candidates unnecessary, except for the plan that runs now.
void keeps_the_running_plan(Suite& suite, const std::shared_ptr<mpi::Context>& context) {
  suite.step("a slow candidate runs when a search gets a provisional winner");
  const auto request = request_of(context, three_codelets());
  request->set_deciders(std::make_shared<Reversed>(std::make_shared<Provisional>()));
  request->start();
  request->start();
  suite.expect(plans == std::array{0, 1, 1}, text("plans in the search: ", plans[0], " ", plans[1], " ", plans[2]));
  request->start();
  suite.expect(request->current_codelet() == "first", "it runs " + request->current_codelet());
  suite.expect(plans == std::array{1, 0, 1}, text("plans with a winner: ", plans[0], " ", plans[1], " ", plans[2]));
}

/// The second decider decides for the first time, like the decider before it.
void frees_plans_after_each_decision(Suite& suite, const std::shared_ptr<mpi::Context>& context) {
  suite.step("two deciders, one after the other");
  const auto request = request_of(context, three_codelets());
  for (int decider = 1; decider <= 2; ++decider) {
    request->set_deciders(std::make_shared<Reversed>(std::make_shared<RoundRobin>(4)));
    for (int i = 0; i < 5; ++i) {
      request->start();
    }
    suite.expect(request->decided() && plans == std::array{1, 0, 0},
                 text("plans after decision ", decider, ": ", plans[0], " ", plans[1], " ", plans[2]));
  }
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    const auto context = adcl::mpi::Context::of(MPI_COMM_WORLD);
    adcl::test::runs_in_turn(suite, context);
    adcl::test::withdraws_a_decision(suite, context);
    adcl::test::keeps_the_running_plan(suite, context);
    adcl::test::frees_plans_after_each_decision(suite, context);
  });
}
