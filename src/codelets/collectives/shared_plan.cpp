#include "codelets/collectives/shared_plan.hpp"

#include <algorithm>

#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

/// Memory of all messages that a rank sends; more than this is better left to other codelets.
constexpr std::size_t most_bytes = std::size_t{64} << 20U;

}  // namespace

SharedSchedulePlan::SharedSchedulePlan(Script& script, mpi::Context& context)
    : backoff_(context.comm()), op_(script.problem().op) {
  mpi::do_together(context.comm(), [&] {
    scratch_.resize(static_cast<std::size_t>(script.scratch_bytes()) + 64);
    void* first = scratch_.data();
    std::size_t space = scratch_.size();
    bases_[static_cast<std::size_t>(Place::scratch)] =
        static_cast<std::byte*>(std::align(64, scratch_.size() - 64, first, space));
    for (const Round& round : script.rounds()) {
      if (!round.empty()) {
        add(round);
      }
    }
  });
  connect(script, context);
}

void SharedSchedulePlan::add(const Round& round) {
  Stage stage;
  const auto packed = [](const Piece& piece) { return Piece{Place::scratch, nullptr, 0, piece.bytes()}; };
  for (const Step& step : round.receives) {
    stage.receives.push_back({step.to.place, step.to.offset, LocalCopy(packed(step.to), step.to), {}});
  }
  for (const Step& step : round.sends) {
    stage.sends.push_back({step.from.place, step.from.offset, LocalCopy(step.from, packed(step.from)), {}});
  }
  for (const Step& step : round.work) {
    const bool combines = step.kind == Step::Kind::combine;
    Work item{step.kind,
              step.from.place,
              step.to.place,
              step.from.offset,
              step.to.offset,
              -1,
              combines ? count_of(step.to) : 0,
              type_of(step.to),
              combines ? LocalCopy({}, {}) : LocalCopy(step.from, step.to)};
    for (std::size_t i = 0; combines && i < round.receives.size(); ++i) {
      const Piece& received = round.receives[i].to;
      // Only the left operand: the right one is written to.
      if (received.place == Place::scratch && received.type != nullptr && received.type->dense() &&
          step.from.place == Place::scratch && step.from.offset == received.offset &&
          step.from.count == received.count) {
        item.message = static_cast<int>(i);
      }
    }
    stage.work.push_back(std::move(item));
  }
  // What other work reads too must be in its place.
  for (std::size_t i = 0; i < stage.receives.size(); ++i) {
    int combined = 0;
    bool elsewhere = false;
    for (std::size_t w = 0; w < stage.work.size(); ++w) {
      const Piece& received = round.receives[i].to;
      const bool reads = round.work[w].from.place == received.place && round.work[w].from.offset == received.offset;
      const bool writes = round.work[w].to.place == received.place && round.work[w].to.offset == received.offset;
      combined += stage.work[w].message == static_cast<int>(i) ? 1 : 0;
      elsewhere = elsewhere || writes || (reads && stage.work[w].message != static_cast<int>(i));
    }
    stage.receives[i].copied = combined == 0 || elsewhere;
    for (Work& item : stage.work) {
      if (item.message == static_cast<int>(i) && stage.receives[i].copied) {
        item.message = -1;
      }
    }
  }
  stages_.push_back(std::move(stage));
}

void SharedSchedulePlan::connect(Script& script, mpi::Context& context) {
  std::vector<SharedEnd> out;
  std::vector<SharedEnd> in;
  std::vector<std::size_t> offsets;
  std::vector<std::size_t> in_bytes;
  std::vector<std::size_t> out_bytes;
  std::size_t bytes = 0;
  mpi::do_together(context.comm(), [&] {
    for (const Round& round : script.rounds()) {
      for (const Step& step : round.sends) {
        out.push_back({step.peer, 0});
        offsets.push_back(bytes);
        out_bytes.push_back(static_cast<std::size_t>(step.from.bytes()));
        bytes += SharedLink::memory_bytes(out_bytes.back());
      }
      for (const Step& step : round.receives) {
        in.push_back({step.peer, 0});
        in_bytes.push_back(static_cast<std::size_t>(step.to.bytes()));
      }
    }
    require(bytes <= most_bytes, Code::unsupported, "its messages need ", bytes, " bytes of shared memory, more than ",
            most_bytes);
  });
  segment_.emplace(context.comm(), script.problem().tag, bytes, out, offsets, in);
  mpi::do_together(context.comm(), [&] {
    std::size_t sent = 0;
    std::size_t received = 0;
    for (Stage& stage : stages_) {
      for (Message& message : stage.sends) {
        message.link = SharedLink(segment_->outgoing(sent), out_bytes[sent], true);
        ++sent;
      }
      for (Message& message : stage.receives) {
        message.link = SharedLink(segment_->incoming(received), in_bytes[received], true);
        ++received;
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

void SharedSchedulePlan::exchange(Stage& stage) {
  for (Message& out : stage.sends) {
    await([&] { return out.link.free(operation_); });
    out.copy.run(at(out.place, out.offset), out.link.outgoing(operation_));
    out.link.publish(operation_);
  }
  for (Message& in : stage.receives) {
    await([&] { return in.link.arrived(operation_); });
    if (in.copied) {
      in.copy.run(in.link.incoming(operation_), at(in.place, in.offset));
      in.link.release(operation_);
    }
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
  for (const Message& in : stage.receives) {
    if (!in.copied) {
      in.link.release(operation_);
    }
  }
}

void SharedSchedulePlan::start(const Buffers& buffers) {
  const FieldBuffers& field = buffers.front();
  bases_[static_cast<std::size_t>(Place::send)] = static_cast<std::byte*>(const_cast<void*>(field.send));
  bases_[static_cast<std::size_t>(Place::receive)] = static_cast<std::byte*>(field.receive);
  ++operation_;
  for (Stage& stage : stages_) {
    exchange(stage);
    work(stage);
  }
}

std::optional<std::string> SharedSchedulePlan::objection(const CollectiveProblem& problem) {
  if (problem.machine->nodes.count > 1) {
    return "the processes are on several nodes";
  }
  return std::nullopt;
}

}  // namespace adcl::codelets
