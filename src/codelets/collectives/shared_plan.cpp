#include "codelets/collectives/shared_plan.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/check.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

/// Limit on the memory of all messages that a rank sends; above it, other codelets are better.
constexpr std::size_t most_bytes = std::size_t{65} << 20U;  ///< 64 MiB of data, plus space for the links

bool same(const Piece& a, const Piece& b) {
  return a.place == b.place && a.type == b.type && a.offset == b.offset && a.count == b.count;
}

Piece packed(const Piece& piece) { return {Place::scratch, nullptr, 0, piece.bytes()}; }

/// A receiver's line stores the distance from the line to the slots, because the receiver cannot compute it.
std::byte* distance_in(std::byte* line) { return line + sizeof(std::uint64_t); }

}  // namespace

SharedSchedulePlan::SharedSchedulePlan(Script& script, mpi::Context& context)
    : comm_(context.comm()), tag_(script.problem().tag), backoff_(context.comm()), op_(script.problem().op) {
  Ends ends;
  segment_.emplace(comm_, tag_, [&] {
    scratch_.resize(static_cast<std::size_t>(script.scratch_bytes()) + 64);
    void* first = scratch_.data();
    std::size_t space = scratch_.size();
    bases_[static_cast<std::size_t>(Place::scratch)] =
        static_cast<std::byte*>(std::align(64, scratch_.size() - 64, first, space));
    std::size_t most_far = 0;
    for (const Round& round : script.rounds()) {
      if (!round.empty()) {
        add(round, script.problem().machine->nodes, ends);
        most_far = std::max(most_far, stages_.back().far_receives.size() + stages_.back().far_sends.size());
      }
    }
    requests_.resize(most_far, MPI_REQUEST_NULL);
    return shared_ends(ends);
  });
  connect(ends);
  find_only_stage();
}

void SharedSchedulePlan::find_only_stage() {
  std::size_t found = 0;
  std::size_t place = 0;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (!stages_[i].receives.empty() || !stages_[i].sends.empty()) {
      place = i;
      ++found;
    }
    if (!stages_[i].far_receives.empty() || !stages_[i].far_sends.empty()) {
      return;
    }
  }
  if (found < 2) {
    only_stage_ = place;
  }
}

void SharedSchedulePlan::add(const Round& round, const Nodes& nodes, Ends& ends) {
  Stage stage;
  std::vector<Step> received;
  const auto far = [](const Piece& piece, int peer) {
    return Far{piece.place, piece.offset, count_of(piece), type_of(piece), peer};
  };
  for (const Step& step : round.receives) {
    if (!nodes.contains(step.peer)) {
      stage.far_receives.push_back(far(step.to, step.peer));
      continue;
    }
    stage.receives.push_back({step.to.place, step.to.offset, LocalCopy(packed(step.to), step.to), {}});
    received.push_back(step);
    ends.in.push_back({step.peer, 0});
    ends.in_bytes.push_back(static_cast<std::size_t>(step.to.bytes()));
  }
  for (const Step& step : round.sends) {
    if (!nodes.contains(step.peer)) {
      stage.far_sends.push_back(far(step.from, step.peer));
      continue;
    }
    auto message = std::find_if(stage.sends.begin(), stage.sends.end(),
                                [&](const Outgoing& other) { return same(other.from, step.from); });
    if (message == stage.sends.end()) {
      message = stage.sends.insert(message, Outgoing{step.from, LocalCopy(step.from, packed(step.from)), {}});
    }
    ends.places.push_back(
        {stages_.size(), static_cast<std::size_t>(message - stage.sends.begin()), message->links.size()});
    ends.out.push_back({step.peer, 0});
    message->links.emplace_back();
  }
  for (const Step& step : round.work) {
    const bool combines = step.kind == Step::Kind::combine;
    stage.work.push_back({step.kind, step.from.place, step.to.place, step.from.offset, step.to.offset, -1,
                          combines ? count_of(step.to) : 0, combines ? step.to.type->handle() : MPI_DATATYPE_NULL,
                          combines ? LocalCopy({}, {}) : LocalCopy(step.from, step.to)});
  }
  use_in_place(received, round.work, stage);
  stages_.push_back(std::move(stage));
}

/// Finds received pieces whose only use is as the left operand of one combination. (The right operand is overwritten,
/// and data that other steps also read must be at their final location.)
void SharedSchedulePlan::use_in_place(const std::vector<Step>& received, const std::vector<Step>& work, Stage& stage) {
  for (std::size_t i = 0; i < received.size(); ++i) {
    const Piece& arrival = received[i].to;
    int combined = -1;
    bool elsewhere = arrival.place != Place::scratch || arrival.type == nullptr || !arrival.type->dense();
    for (std::size_t w = 0; w < work.size(); ++w) {
      const bool reads = work[w].from.place == arrival.place && work[w].from.offset == arrival.offset;
      const bool writes = work[w].to.place == arrival.place && work[w].to.offset == arrival.offset;
      if (reads && combined < 0 && work[w].kind == Step::Kind::combine && work[w].from.count == arrival.count) {
        combined = static_cast<int>(w);
      } else {
        elsewhere = elsewhere || reads;
      }
      elsewhere = elsewhere || writes;
    }
    if (combined >= 0 && !elsewhere) {
      stage.receives[i].copied = false;
      stage.work[static_cast<std::size_t>(combined)].message = static_cast<int>(i);
    }
  }
}

SharedEnds SharedSchedulePlan::shared_ends(const Ends& ends) const {
  SharedEnds result{ends.out, ends.in, {}, 0};
  std::vector<std::vector<std::size_t>> begins;  // byte offset of each message of each stage
  for (const Stage& stage : stages_) {
    auto& of_stage = begins.emplace_back();
    for (const Outgoing& out : stage.sends) {
      of_stage.push_back(result.bytes);
      const std::size_t bytes = message_bytes(out);
      result.bytes += SharedLink::memory_bytes(bytes, out.links.size(), SharedLink::slots_ahead(bytes));
    }
  }
  for (const Ends::Out& end : ends.places) {
    result.offsets.push_back(begins[end.stage][end.message] + end.receiver * SharedLink::line_bytes);
  }
  require(result.bytes <= most_bytes, Code::unsupported, "the messages need ", result.bytes,
          " bytes of shared memory; the limit is ", most_bytes);
  return result;
}

void SharedSchedulePlan::connect(const Ends& ends) {
  mpi::run_collectively(comm_, [&] {
    for (std::size_t i = 0; i < ends.places.size(); ++i) {
      const Ends::Out& end = ends.places[i];
      Outgoing& out = stages_[end.stage].sends[end.message];
      const std::uint64_t distance = (out.links.size() - end.receiver) * SharedLink::line_bytes;
      std::byte* line = segment_->outgoing(i);
      std::memcpy(distance_in(line), &distance, sizeof distance);
      out.links[end.receiver] = SharedLink(line, line + distance, message_bytes(out));
    }
  });
  mpi::run_collectively(comm_, [&] {
    std::size_t i = 0;
    for (Stage& stage : stages_) {
      for (Incoming& in : stage.receives) {
        std::byte* line = segment_->incoming(i);
        std::uint64_t distance = 0;
        std::memcpy(&distance, distance_in(line), sizeof distance);
        in.link = SharedLink(line, line + distance, ends.in_bytes[i]);
        ++i;
      }
    }
  });
}

template <typename Condition>
void SharedSchedulePlan::await(const Condition& condition) {
  if (condition()) {
    return;
  }
  backoff_.begin();
  while (!condition()) {
    backoff_.pause();
  }
  backoff_.end();
}

void SharedSchedulePlan::post(const Stage& stage) {
  posted_ = 0;
  for (const Far& in : stage.far_receives) {
    mpi::check(MPI_Irecv(at(in.place, in.offset), in.count, in.type, in.peer, tag_, comm_,
                         &requests_[static_cast<std::size_t>(posted_++)]),
               "MPI_Irecv");
  }
  for (const Far& out : stage.far_sends) {
    mpi::check(MPI_Isend(at(out.place, out.offset), out.count, out.type, out.peer, tag_, comm_,
                         &requests_[static_cast<std::size_t>(posted_++)]),
               "MPI_Isend");
  }
}

void SharedSchedulePlan::exchange(Stage& stage) {
  post(stage);
  for (Outgoing& out : stage.sends) {
    for (SharedLink& link : out.links) {
      await([&] { return link.free(operation_); });
    }
    const SharedLink& any = out.links.front();
    out.copy.run(at(out.from.place, out.from.offset), any.outgoing(operation_));
    any.publish(operation_);
  }
  for (Incoming& in : stage.receives) {
    await([&] { return in.link.arrived(operation_); });
    if (in.copied) {
      in.copy.run(in.link.incoming(operation_), at(in.place, in.offset));
      in.link.release(operation_);
    }
  }
  if (posted_ > 0) {
    mpi::check(MPI_Waitall(posted_, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }
}

void SharedSchedulePlan::work(Stage& stage) {
  for (Work& item : stage.work) {
    const std::byte* from = item.message < 0
                                ? at(item.from, item.from_offset)
                                : stage.receives[static_cast<std::size_t>(item.message)].link.incoming(operation_);
    std::byte* to = at(item.to, item.to_offset);
    if (item.kind == Step::Kind::combine) {
      combine(from, to, item.count, item.type, op_);
    } else {
      item.copy.run(from, to);
    }
  }
  for (const Incoming& in : stage.receives) {
    if (!in.copied) {
      in.link.release(operation_);
    }
  }
}

void SharedSchedulePlan::take(const Buffers& buffers) {
  const FieldBuffers& field = buffers.front();
  bases_[static_cast<std::size_t>(Place::send)] = static_cast<std::byte*>(const_cast<void*>(field.send));
  bases_[static_cast<std::size_t>(Place::receive)] = static_cast<std::byte*>(field.receive);
  ++operation_;
}

void SharedSchedulePlan::run(const Buffers& buffers) {
  take(buffers);
  for (Stage& stage : stages_) {
    exchange(stage);
    work(stage);
  }
}

void SharedSchedulePlan::start(const Buffers& buffers) {
  if (!sends_all_at_start()) {
    run(buffers);
    return;
  }
  take(buffers);
  for (std::size_t i = 0; i < *only_stage_; ++i) {
    work(stages_[i]);
  }
  if (!stages_.empty()) {
    for (Outgoing& out : stages_[*only_stage_].sends) {
      for (SharedLink& link : out.links) {
        await([&] { return link.free(operation_); });  // already free, unless run() was called before
      }
      const SharedLink& any = out.links.front();
      out.copy.run(at(out.from.place, out.from.offset), any.outgoing(operation_));
      any.publish(operation_);
    }
  }
  received_ = 0;
  worked_ = false;
  in_flight_ = true;
}

bool SharedSchedulePlan::poll() {
  if (!worked_ && !stages_.empty()) {
    auto& receives = stages_[*only_stage_].receives;
    for (; received_ < receives.size(); ++received_) {
      Incoming& in = receives[received_];
      if (!in.link.arrived(operation_)) {
        return false;
      }
      if (in.copied) {
        in.copy.run(in.link.incoming(operation_), at(in.place, in.offset));
        in.link.release(operation_);
      }
    }
    for (std::size_t i = *only_stage_; i < stages_.size(); ++i) {
      work(stages_[i]);
    }
    worked_ = true;
  }
  for (Stage& stage : stages_) {
    for (Outgoing& out : stage.sends) {
      for (SharedLink& link : out.links) {
        if (!link.free(operation_ + 1)) {
          return false;
        }
      }
    }
  }
  in_flight_ = false;
  return true;
}

bool SharedSchedulePlan::test() {
  const bool done = look();
  if (!done) {
    drive_mpi(comm_);
  }
  return done;
}

void SharedSchedulePlan::wait() {
  await([this] { return look(); });
}

void SharedSchedulePlan::finish(Script& script) {
  const Nodes& nodes = script.problem().machine->nodes;
  script.finish([&nodes](int rank) { return !nodes.contains(rank); });
}

std::size_t SharedSchedulePlan::bytes(const Script& script) {
  std::size_t total = script.bytes() + mpi::NodeMemory::held_bytes();
  for (const Round& round : script.rounds()) {
    for (const Step& step : round.sends) {
      const auto sent = static_cast<std::size_t>(step.from.bytes());
      total += SharedLink::memory_bytes(sent, 1, SharedLink::slots_ahead(sent));
    }
  }
  return total;
}

std::optional<std::string> SharedSchedulePlan::objection(const CollectiveProblem& problem) {
  if (problem.machine->nodes.count > 1) {
    return "the processes are on several nodes";
  }
  return std::nullopt;
}

}  // namespace adcl::codelets
