#include "codelets/collectives/schedule_plan.hpp"

#include <algorithm>

#include "mpi/check.hpp"

namespace adcl::codelets {

SchedulePlan::SchedulePlan(Script& script, mpi::Context& context)
    : comm_(context.comm()),
      tag_(script.problem().tag),
      op_(script.problem().op),
      scratch_(static_cast<std::size_t>(script.scratch_bytes()) + 64) {
  std::size_t most = 0;
  for (const Round& round : script.rounds()) {
    if (!round.empty()) {
      add(round);
      most = std::max(most, round.receives.size() + round.sends.size());
    }
  }
  requests_.resize(most, MPI_REQUEST_NULL);
  stage_ = stages_.size();
  // Align explicitly: the system does not align large allocations to a cache line.
  void* first = scratch_.data();
  std::size_t space = scratch_.size();
  bases_[static_cast<std::size_t>(Place::scratch)] =
      static_cast<std::byte*>(std::align(64, scratch_.size() - 64, first, space));
}

void SchedulePlan::add(const Round& round) {
  Stage stage;
  const auto message = [](const Piece& piece, int peer) {
    return Message{piece.place, piece.offset, count_of(piece), type_of(piece), peer};
  };
  for (const Step& step : round.receives) {
    stage.receives.push_back(message(step.to, step.peer));
  }
  for (const Step& step : round.sends) {
    stage.sends.push_back(message(step.from, step.peer));
  }
  for (const Step& step : round.work) {
    const bool combines = step.kind == Step::Kind::combine;
    stage.work.push_back({step.kind, step.from.place, step.to.place, step.from.offset, step.to.offset,
                          combines ? count_of(step.to) : 0, combines ? step.to.type->handle() : MPI_DATATYPE_NULL,
                          combines ? LocalCopy({}, {}) : LocalCopy(step.from, step.to)});
  }
  stages_.push_back(std::move(stage));
}

void SchedulePlan::take(const Buffers& buffers) {
  const FieldBuffers& field = buffers.front();
  bases_[static_cast<std::size_t>(Place::send)] = static_cast<std::byte*>(const_cast<void*>(field.send));
  bases_[static_cast<std::size_t>(Place::receive)] = static_cast<std::byte*>(field.receive);
}

void SchedulePlan::post(const Stage& stage) {
  posted_ = 0;
  for (const Message& in : stage.receives) {
    mpi::check(MPI_Irecv(at(in.place, in.offset), in.count, in.type, in.peer, tag_, comm_,
                         &requests_[static_cast<std::size_t>(posted_++)]),
               "MPI_Irecv");
  }
  for (const Message& out : stage.sends) {
    mpi::check(MPI_Isend(at(out.place, out.offset), out.count, out.type, out.peer, tag_, comm_,
                         &requests_[static_cast<std::size_t>(posted_++)]),
               "MPI_Isend");
  }
}

void SchedulePlan::work(Stage& stage) {
  for (Work& item : stage.work) {
    const std::byte* from = at(item.from, item.from_offset);
    std::byte* to = at(item.to, item.to_offset);
    if (item.kind == Step::Kind::combine) {
      combine(from, to, item.count, item.type, op_);
    } else {
      item.copy.run(from, to);
    }
  }
}

/// Exchanges all messages of a stage: with MPI_Sendrecv, MPI_Send or MPI_Recv if possible, otherwise with nonblocking
/// calls.
void SchedulePlan::exchange(const Stage& stage) {
  const std::size_t in_flight = stage.receives.size() + stage.sends.size();
  if (in_flight == 0) {
    return;
  }
  if (stage.receives.size() == 1 && stage.sends.size() == 1) {
    const Message& out = stage.sends.front();
    const Message& in = stage.receives.front();
    mpi::check(MPI_Sendrecv(at(out.place, out.offset), out.count, out.type, out.peer, tag_, at(in.place, in.offset),
                            in.count, in.type, in.peer, tag_, comm_, MPI_STATUS_IGNORE),
               "MPI_Sendrecv");
  } else if (in_flight == 1 && stage.sends.size() == 1) {
    const Message& out = stage.sends.front();
    mpi::check(MPI_Send(at(out.place, out.offset), out.count, out.type, out.peer, tag_, comm_), "MPI_Send");
  } else if (in_flight == 1) {
    const Message& in = stage.receives.front();
    mpi::check(MPI_Recv(at(in.place, in.offset), in.count, in.type, in.peer, tag_, comm_, MPI_STATUS_IGNORE),
               "MPI_Recv");
  } else {
    post(stage);
    mpi::check(MPI_Waitall(posted_, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    posted_ = 0;
  }
}

void SchedulePlan::advance() {
  for (; stage_ < stages_.size(); ++stage_) {
    Stage& stage = stages_[stage_];
    post(stage);
    if (posted_ > 0) {
      return;
    }
    work(stage);
  }
}

void SchedulePlan::start(const Buffers& buffers) {
  take(buffers);
  stage_ = 0;
  advance();
}

bool SchedulePlan::test() {
  while (stage_ < stages_.size()) {
    int done = 0;
    mpi::check(MPI_Testall(posted_, requests_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (done == 0) {
      return false;
    }
    work(stages_[stage_++]);
    advance();
  }
  return true;
}

void SchedulePlan::wait() {
  while (stage_ < stages_.size()) {
    mpi::check(MPI_Waitall(posted_, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    work(stages_[stage_++]);
    advance();
  }
}

void SchedulePlan::run(const Buffers& buffers) {
  take(buffers);
  for (Stage& stage : stages_) {
    exchange(stage);
    work(stage);
  }
}

}  // namespace adcl::codelets
