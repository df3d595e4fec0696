#include "support/exchange.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "codelets/sets.hpp"
#include "core/error.hpp"
#include "mpi/check.hpp"

namespace adcl::test {
namespace {

using mpi::check;

constexpr int n_sets = 2;

const RankModel& mine(const ProblemModel& model, const Topology& topology) {
  return model.ranks[static_cast<std::size_t>(topology.rank())];
}

}  // namespace

Request::Request(Topology& topology, const ProblemModel& model)
    : topology_(topology),
      model_(model),
      send_type_(make_type(model.family, mine(model, topology).send_variant,
                           mine(model, topology).send_grid.points() * std::max(model.nc, 1))),
      receive_type_(make_type(model.family, mine(model, topology).receive_variant,
                              mine(model, topology).receive_grid.points() * std::max(model.nc, 1))),
      send_element_(send_type_.type.get(), model.nc),
      receive_element_(receive_type_.type.get(), model.nc),
      origins_(origins(model, topology.rank())) {
  const RankModel& rank = mine(model_, topology_);
  problem_.neighborhood = topology_.neighborhood();
  problem_.send_grid = rank.send_grid;
  problem_.receive_grid = rank.receive_grid;
  problem_.send_widths = rank.send_widths;
  problem_.receive_widths = rank.receive_widths;
  problem_.send_element = &send_element_;
  problem_.receive_element = model_.same_buffer ? &send_element_ : &receive_element_;
  problem_.same_buffer = model_.same_buffer;
  if (model_.topology.kind == Kind::graph) {
    build_graph(problem_, rank.points);
  } else {
    build_halo(problem_);
  }
  agree();
  for (int set = 0; set < n_sets; ++set) {
    arrays_.push_back(
        {Image(rank.send_grid, send_type_, model_.nc), Image(rank.receive_grid, receive_type_, model_.nc)});
  }
  expected_ = std::make_unique<Image>(arrays_[0].receive);
  untouched_ = std::make_unique<Image>(arrays_[0].send);
}

void Request::agree() {
  mpi::Context& context = topology_.context();
  const std::uint64_t send_hash = problem_.send_element->layout_hash();
  const std::uint64_t receive_hash = problem_.receive_element->layout_hash();
  std::uint64_t maxima[] = {static_cast<std::uint64_t>(problem_.tag_span), send_hash, ~send_hash, receive_hash,
                            ~receive_hash};
  check(MPI_Allreduce(MPI_IN_PLACE, maxima, 5, MPI_UINT64_T, MPI_MAX, context.comm()), "MPI_Allreduce");
  problem_.tag_span = static_cast<int>(maxima[0]);
  problem_.tag_base = context.take_tags(problem_.tag_span);
  problem_.topology_id = topology_.id();
  problem_.request_id = context.next_id();
  problem_.node_of_rank = context.nodes();
  problem_.window_defect = context.window_defect();
  problem_.uniform_layout = maxima[1] == ~maxima[2] && maxima[3] == ~maxima[4];
}

Request::~Request() { topology_.context().give_back_tags(problem_.tag_base, problem_.tag_span); }

Buffers Request::buffers(int set) {
  Arrays& arrays = arrays_[static_cast<std::size_t>(set)];
  void* send = arrays.send.address();
  return {send, model_.same_buffer ? send : arrays.receive.address()};
}

void Request::fill(int set, int round) {
  Arrays& arrays = arrays_[static_cast<std::size_t>(set)];
  arrays.send.fill(topology_.rank(), round);
  if (!model_.same_buffer) {
    // Stale values that no rank sends in this round.
    arrays.receive.fill(topology_.rank(), round + 2000);
  }
}

void Request::verify(Suite& suite, const std::string& codelet, int set, int round) {
  Arrays& arrays = arrays_[static_cast<std::size_t>(set)];
  expected_->fill(topology_.rank(), model_.same_buffer ? round : round + 2000);
  for (const Origin& origin : origins_) {
    expected_->write(origin.point, origin.owner, origin.owner_point, round);
  }
  compare(suite, codelet, "receive", model_.same_buffer ? arrays.send : arrays.receive, *expected_);
  if (!model_.same_buffer) {
    untouched_->fill(topology_.rank(), round);
    compare(suite, codelet, "send", arrays.send, *untouched_);
  }
  suite.exchanged();
}

void Request::compare(Suite& suite, const std::string& codelet, const char* which, const Image& array,
                      const Image& expected) {
  const auto& got = array.all();
  const auto& wanted = expected.all();
  if (std::memcmp(got.data(), wanted.data(), wanted.size()) == 0) {
    return;
  }
  const auto place =
      static_cast<std::size_t>(std::mismatch(wanted.begin(), wanted.end(), got.begin()).first - wanted.begin());
  std::size_t wrong = 0;
  for (std::size_t i = place; i < wanted.size(); ++i) {
    wrong += wanted[i] != got[i] ? 1U : 0U;
  }
  suite.fail(text(codelet, ": ", wrong, " wrong bytes in the ", which, " array, the first is ",
                  expected.describe(place), ": expected ", std::to_integer<int>(wanted[place]), ", got ",
                  std::to_integer<int>(got[place]), "\n  problem of this rank: ", problem_.describe(),
                  "\n  whole problem: ", model_.describe()));
}

Exchange::Exchange(Suite& suite, Request& request, const Codelet& codelet)
    : suite_(suite), request_(request), codelet_(codelet) {
  suite_.step(text(codelet_.name, ": making the plan for ", request_.problem().describe()));
  plan_ = codelet_.algorithm.plan(request_.problem(), request_.topology().context(), request_.buffers(0));
  suite_.expect(plan_->test(), text(codelet_.name, ": test() without an operation in flight is not true"));
}

void Exchange::fill(int round) {
  round_ = round;
  set_ = codelet_.capabilities.fixed_buffers ? 0 : round % n_sets;
  request_.fill(set_, round);
}

void Exchange::start(int round) {
  fill(round);
  suite_.step(text(codelet_.name, ": start, round ", round, ", of ", request_.problem().describe()));
  plan_->start(request_.buffers(set_));
}

void Exchange::wait() {
  suite_.step(text(codelet_.name, ": wait, round ", round_, ", of ", request_.problem().describe()));
  plan_->wait();
}

void Exchange::poll() {
  suite_.step(text(codelet_.name, ": test, round ", round_, ", of ", request_.problem().describe()));
  while (!plan_->test()) {
    sched_yield();
  }
}

void Exchange::run(int round) {
  fill(round);
  suite_.step(text(codelet_.name, ": run, round ", round, ", of ", request_.problem().describe()));
  plan_->run(request_.buffers(set_));
  verify();
}

void Exchange::verify() { request_.verify(suite_, codelet_.name, set_, round_); }

std::vector<const Codelet*> candidates(Suite& suite, Request& request) {
  const auto& rows = codelets::neighborhood().codelets;
  suite.step(text("asking the codelets whether they do ", request.problem().describe()));
  std::vector<std::string> reasons;
  std::vector<unsigned char> refused;
  for (const Codelet& row : rows) {
    const auto reason = row.algorithm.applicable(request.problem());
    reasons.push_back(reason.value_or("another rank refuses"));
    refused.push_back(reason ? 1 : 0);
  }
  check(MPI_Allreduce(MPI_IN_PLACE, refused.data(), static_cast<int>(refused.size()), MPI_UNSIGNED_CHAR, MPI_MAX,
                      request.topology().context().comm()),
        "MPI_Allreduce");
  std::vector<const Codelet*> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!suite.wants_codelet(rows[i].name)) {
      continue;
    }
    suite.asked(rows[i].name, refused[i] == 0 ? "" : reasons[i]);
    if (refused[i] == 0) {
      constexpr std::size_t sane_bytes = std::size_t{1} << 33U;
      const std::size_t bytes = rows[i].algorithm.bytes(request.problem());
      suite.expect(bytes < sane_bytes, text(rows[i].name, ": a plan of ", bytes, " bytes"));
      result.push_back(&rows[i]);
    }
  }
  return result;
}

}  // namespace adcl::test
