// ranks: 1 2 3 4
// Two requests share a search, and one of them cannot create a plan that the other request has. Instead of the winner,
// this request runs the fastest codelet whose plan it has. It takes no part in comparisons with the first codelet: it
// creates no plan in production, and its failure does not drop the codelet.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "request/request.hpp"
#include "support/suite.hpp"

namespace adcl::test {
namespace {

constexpr std::size_t codelets = 3;
constexpr std::array names{"first", "second", "third"};
constexpr std::array seconds{0.2, 0.1, 0.15};

std::optional<std::size_t> refused;      ///< the codelet whose plan currently cannot be created
std::array<int, codelets> plans_made{};  ///< attempts included

class Nothing final : public Plan {
 public:
  void start(const Buffers& /*buffers*/) override {}
  bool test() override { return true; }
  void wait() override {}
};

template <std::size_t I>
PlanPointer make(const Problem& /*problem*/, mpi::Context& /*context*/, const Buffers& /*buffers*/) {
  ++plans_made.at(I);
  require(refused != I, Code::memory, "no memory for the plan of ", names.at(I));
  return std::make_unique<Nothing>();
}

template <std::size_t I>
Codelet codelet() {
  Codelet row;
  row.name = names.at(I);
  row.algorithm = {[](const Problem& /*problem*/) { return std::optional<std::string>(); },
                   [](const Problem& /*problem*/) { return std::size_t{0}; }, make<I>, nullptr};
  return row;
}

std::shared_ptr<runtime::FunctionSetObject> three_codelets() {
  auto object = std::make_shared<runtime::FunctionSetObject>();
  object->set.name = "three";
  object->set.codelets = {codelet<0>(), codelet<1>(), codelet<2>()};
  object->set.problem = [](const data::Parts& parts, mpi::Context& context) {
    FunctionSet set;
    set.name = "three";
    return runtime::user_problem(set, parts, context);
  };
  object->siblings = {"three"};
  return object;
}

std::shared_ptr<runtime::Request> request_of(const std::shared_ptr<mpi::Context>& context,
                                             const std::shared_ptr<runtime::FunctionSetObject>& set) {
  OptionValues values(runtime::option_table());
  values.set(runtime::find_option("ADCL_SEARCH"), "brute_force");
  values.set(runtime::find_option("ADCL_MEASUREMENTS"), "3");
  values.set(runtime::find_option("ADCL_HISTORY"), "off");
  runtime::RequestParts parts;
  parts.set = set;
  parts.fields.resize(1);
  return runtime::Request::create(context, std::move(parts),
                                  std::make_shared<runtime::Settings>(runtime::Settings::from(std::move(values))));
}

/// Starts once and reports the codelet's time.
void start(runtime::Request& request) {
  request.start();
  for (std::size_t i = 0; i < codelets; ++i) {
    if (request.current_codelet() == names.at(i)) {
      request.update(seconds.at(i));
    }
  }
}

/// A request whose search has found the winner, "second".
std::shared_ptr<runtime::Request> decided(Suite& suite, const std::shared_ptr<mpi::Context>& context,
                                          const std::shared_ptr<runtime::FunctionSetObject>& set) {
  refused.reset();
  auto request = request_of(context, set);
  for (int i = 0; i < 20; ++i) {
    start(*request);
  }
  suite.expect(request->decided() && request->winner() == names[1], "the winner is '" + request->winner() + "'");
  return request;
}

void runs_the_next_candidate(Suite& suite, const std::shared_ptr<mpi::Context>& context) {
  suite.step("a request without a plan of the winner");
  const auto set = three_codelets();
  const auto first = decided(suite, context, set);
  const auto second = request_of(context, set);
  suite.expect(&first->group() == &second->group(), "the requests do not share a search");
  refused = 1;
  for (int i = 0; i < 20; ++i) {
    start(*second);
    suite.expect(second->current_codelet() == names[2], "it runs '" + second->current_codelet() + "'");
    suite.expect(second->winner() == names[2], "its winner is '" + second->winner() + "'");
    start(*first);
    suite.expect(first->current_codelet() == names[1], "the other request runs '" + first->current_codelet() + "'");
  }
  refused = 2;
  const auto third = request_of(context, set);
  start(*third);
  suite.expect(third->current_codelet() == names[1], "the third request runs '" + third->current_codelet() + "'");
}

void is_not_compared(Suite& suite, const std::shared_ptr<mpi::Context>& context) {
  suite.step("a comparison without a plan");
  const auto set = three_codelets();
  const auto first = decided(suite, context, set);
  const auto second = request_of(context, set);
  refused = 0;
  plans_made = {};
  const auto* tuner = second->group().find(runtime::Mode::blocking);
  // The first three pairs run after about 600 starts, since all pairs may cost 1 % of the time of the starts. They have
  // no time of the first codelet, so the comparison ends.
  suite.expect(tuner->compared_candidate().has_value(), "there is no comparison");
  for (int i = 0; i < 3000; ++i) {
    start(*second);
    suite.expect(i != 700 || !tuner->compared_candidate().has_value(),
                 "a comparison without times of the first codelet continues");
    if (second->current_codelet() != names[1]) {
      suite.fail(text("start ", i, " runs '", second->current_codelet(), "'"));
      break;
    }
  }
  suite.expect(plans_made == std::array{0, 1, 0},
               text("plans made in production: ", plans_made[0], " ", plans_made[1], " ", plans_made[2]));
  suite.expect(tuner->knowledge().front().removed.find("no memory") == std::string::npos, "the first one was dropped");
  suite.expect(first->decided() && first->winner() == names[1], "the winner is '" + first->winner() + "'");
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    const auto context = adcl::mpi::Context::of(MPI_COMM_WORLD);
    adcl::test::runs_the_next_candidate(suite, context);
    adcl::test::is_not_compared(suite, context);
  });
}
