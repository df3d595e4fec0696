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
/// Difference between the round numbers of two fields.
constexpr int field_rounds = 4001;

std::string difference_of(const char* which, const Image& array, const Image& expected) {
  const auto got = array.all();
  const auto wanted = expected.all();
  if (std::memcmp(got.data(), wanted.data(), wanted.size()) == 0) {
    return "";
  }
  const auto place =
      static_cast<std::size_t>(std::mismatch(wanted.begin(), wanted.end(), got.begin()).first - wanted.begin());
  std::size_t wrong = 0;
  for (std::size_t i = place; i < wanted.size(); ++i) {
    wrong += wanted[i] != got[i] ? 1U : 0U;
  }
  return text(wrong, " wrong bytes in the ", which, " array, the first is ", expected.describe(place), ": expected ",
              std::to_integer<int>(wanted[place]), ", got ", std::to_integer<int>(got[place]));
}

}  // namespace

Field::Field(const Topology& topology, const ProblemModel& model)
    : model_(model),
      number_(topology.rank()),
      rank_(model_.ranks[static_cast<std::size_t>(topology.rank())]),
      send_type_(make_type(model.family, rank_.send_variant, rank_.send_grid.points() * std::max(model.nc, 1))),
      receive_type_(
          make_type(model.family, rank_.receive_variant, rank_.receive_grid.points() * std::max(model.nc, 1))),
      send_element_(send_type_.type.get(), model.nc),
      receive_element_(receive_type_.type.get(), model.nc),
      origins_(origins(model, topology.rank())) {
  const auto sharing = model.shared ? mpi::Sharing::wanted : mpi::Sharing::unwanted;
  const auto sent = [this](mpi::Sharing how) { return Image(rank_.send_grid, send_type_, model_.nc, how); };
  const auto received = [this](mpi::Sharing how) { return Image(rank_.receive_grid, receive_type_, model_.nc, how); };
  for (int set = 0; set < n_sets; ++set) {
    arrays_.push_back({sent(sharing), received(sharing)});
  }
  expected_ = std::make_unique<Image>(received(mpi::Sharing::unwanted));
  untouched_ = std::make_unique<Image>(sent(mpi::Sharing::unwanted));
}

HaloField Field::shape() const {
  const Arrays& arrays = arrays_.front();
  const mpi::Element* received = model_.same_buffer ? &send_element_ : &receive_element_;
  return {{rank_.send_grid, rank_.send_widths, &send_element_, arrays.send.private_because()},
          {rank_.receive_grid, rank_.receive_widths, received, arrays.receive.private_because()},
          model_.same_buffer};
}

FieldBuffers Field::buffers(int set) {
  Arrays& arrays = arrays_[static_cast<std::size_t>(set)];
  void* send = arrays.send.address();
  return {send, model_.same_buffer ? send : arrays.receive.address()};
}

void Field::fill(int set, int round) {
  Arrays& arrays = arrays_[static_cast<std::size_t>(set)];
  arrays.send.fill(number_, round);
  if (!model_.same_buffer) {
    // Stale values that no rank sends in this round.
    arrays.receive.fill(number_, round + 2000);
  }
}

std::string Field::difference(int set, int round) {
  const Arrays& arrays = arrays_[static_cast<std::size_t>(set)];
  expected_->fill(number_, model_.same_buffer ? round : round + 2000);
  for (const Origin& origin : origins_) {
    expected_->write(origin.point, origin.owner, origin.owner_point, round);
  }
  const auto difference = difference_of("receive", model_.same_buffer ? arrays.send : arrays.receive, *expected_);
  if (model_.same_buffer || !difference.empty()) {
    return difference;
  }
  untouched_->fill(number_, round);
  return difference_of("send", arrays.send, *untouched_);
}

Request::Request(Topology& topology, const std::vector<ProblemModel>& models) : topology_(topology), buffers_(n_sets) {
  std::vector<GraphPoints> points;
  problem_.neighborhood = topology_.neighborhood();
  problem_.fields.clear();
  for (const ProblemModel& model : models) {
    fields_.push_back(std::make_unique<Field>(topology_, model));
    problem_.fields.push_back(fields_.back()->shape());
    points.push_back(fields_.back()->points());
    for (int set = 0; set < n_sets; ++set) {
      buffers_[static_cast<std::size_t>(set)].push_back(fields_.back()->buffers(set));
    }
  }
  if (problem_.neighborhood.kind == Kind::graph) {
    build_graph(problem_, points);
  } else {
    build_halo(problem_);
  }
  agree();
}

void Request::agree() {
  mpi::Context& context = topology_.context();
  std::vector<std::uint64_t> maxima{static_cast<std::uint64_t>(problem_.tag_span)};
  for (const HaloField& field : problem_.fields) {
    for (const HaloArray* array : {&field.send, &field.receive}) {
      maxima.push_back(array->element->layout_hash());
      maxima.push_back(~array->element->layout_hash());
    }
  }
  check(MPI_Allreduce(MPI_IN_PLACE, maxima.data(), static_cast<int>(maxima.size()), MPI_UINT64_T, MPI_MAX,
                      context.comm()),
        "MPI_Allreduce");
  problem_.tag_span = static_cast<int>(maxima[0]);
  problem_.tag_base = context.take_tags(problem_.tag_span);
  problem_.topology_id = topology_.id();
  problem_.request_id = context.next_id();
  problem_.nodes = &context.machine().nodes;
  problem_.window_defect = context.window_defect();
  for (std::size_t i = 1; i < maxima.size(); i += 2) {
    problem_.uniform_layout = problem_.uniform_layout && maxima[i] == ~maxima[i + 1];
  }
}

Request::~Request() { topology_.context().give_back_tags(problem_.tag_base, problem_.tag_span); }

void Request::fill(int set, int round) {
  // The fields differ in their values, so that a mix-up of fields is found.
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    fields_[f]->fill(set, round + field_rounds * static_cast<int>(f));
  }
}

void Request::verify(Suite& suite, const std::string& codelet, int set, int round) {
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::string difference = fields_[f]->difference(set, round + field_rounds * static_cast<int>(f));
    suite.expect(difference.empty(),
                 text(codelet, ": field ", f, ": ", difference, "\n  problem of this rank: ", problem_.describe(),
                      "\n  whole problem of the field: ", fields_[f]->model().describe()));
  }
  suite.exchanged();
}

Exchange::Exchange(Suite& suite, Request& request, const Codelet& codelet)
    : suite_(suite), request_(request), codelet_(codelet) {
  suite_.step(text(codelet_.name, ": making the plan for ", request_.problem().describe()));
  plan_ = codelet_.algorithm.plan(request_.problem(), request_.topology().context(), request_.buffers(0));
  suite_.expect(plan_->test(), text(codelet_.name, ": test() without an operation in flight is not true"));
}

void Exchange::fill(int round) {
  round_ = round;
  const Capabilities& capabilities = codelet_.capabilities;
  const bool bound = capabilities.fixed_buffers || (capabilities.fixed_several && request_.problem().several_fields());
  set_ = bound ? 0 : round % n_sets;
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
  suite.step(text("applicability of the codelets to ", request.problem().describe()));
  std::vector<std::string> reasons;
  std::vector<unsigned char> refused;
  for (const Codelet& row : rows) {
    const auto reason = row.algorithm.applicable(request.problem());
    reasons.push_back(reason.value_or("not applicable on another rank"));
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
    suite.count_codelet(rows[i].name, refused[i] == 0 ? "" : reasons[i]);
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
