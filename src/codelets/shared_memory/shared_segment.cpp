#include "codelets/shared_memory/shared_segment.hpp"

#include <algorithm>
#include <set>

#include "mpi/check.hpp"
#include "mpi/clock.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free,
              "64-bit atomics must be lock-free: their locks do not work between processes");

std::size_t lines(std::size_t bytes) {
  return (bytes + SharedLink::line_bytes - 1) / SharedLink::line_bytes * SharedLink::line_bytes;
}

/// Hints to the processor that this is a spin loop.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // "yield" does not delay on most processors
#endif
}

}  // namespace

SharedLink::SharedLink(std::byte* memory, std::size_t bytes, bool acknowledged)
    : acknowledgement_(acknowledged ? memory : nullptr),
      slots_(memory + line_bytes),
      slot_bytes_(lines(header_bytes + bytes)) {}

SharedLink::SharedLink(std::byte* acknowledgement, std::byte* slots, std::size_t bytes)
    : acknowledgement_(acknowledgement),
      slots_(slots),
      slot_bytes_(lines(header_bytes + bytes)),
      slot_mask_(slots_ahead(bytes) - 1) {}

std::uint64_t SharedLink::slots_ahead(std::size_t bytes) noexcept {
  constexpr std::size_t bytes_ahead = 2048;
  constexpr std::uint64_t most_slots = 16;
  std::uint64_t slots = most_slots;
  while (slots > fewest_slots && slots * lines(header_bytes + bytes) > bytes_ahead) {
    slots /= 2;
  }
  return slots;
}

std::size_t SharedLink::memory_bytes(std::size_t bytes, std::size_t receivers, std::uint64_t slots) {
  return receivers * line_bytes + slots * lines(header_bytes + bytes);
}

SharedSegment::SharedSegment(MPI_Comm comm, int tag_base, const std::function<SharedEnds()>& prepare) {
  std::optional<std::optional<Error>> outcome;  // outcome of the first call
  const auto once = [&] {
    if (!outcome) {
      outcome = mpi::error_of([&] {
        ends_ = prepare();
        places_.resize(ends_.receives.size());
        outgoing_.resize(ends_.sends.size());
        requests_.resize(ends_.sends.size());
      });
    }
    if (outcome->has_value()) {
      throw Error(**outcome);
    }
  };
  try {
    make(comm, tag_base, once, mpi::NodeMemoryKind::anonymous);
  } catch (const mpi::AgreedError&) {
    make(comm, tag_base, once, mpi::NodeMemoryKind::named);
  }
}

void SharedSegment::make(MPI_Comm comm, int tag_base, const std::function<void()>& prepare, mpi::NodeMemoryKind kind) {
  mapped_.clear();
  own_ = {};
  mpi::run_collectively(comm, [&] {
    prepare();
    if (ends_.bytes > 0) {
      own_ = mpi::NodePiece(ends_.bytes, kind);
    }
    for (std::size_t i = 0; i < ends_.sends.size(); ++i) {
      outgoing_[i] = {own_.handle(), own_.offset() + ends_.offsets[i], own_.offset()};
    }
  });
  mpi::run_collectively(comm, [&] {
    exchange_places(comm, tag_base);
    for (std::size_t i = 0; i < ends_.receives.size(); ++i) {
      auto& mapping = mapped_[ends_.receives[i].peer];
      mapping = mapping != nullptr ? mapping : mpi::map_memory(places_[i].memory, mpi::NodeMapping::Access::write);
    }
  });
  std::set<int> receivers;
  for (const SharedEnd& end : ends_.sends) {
    receivers.insert(end.peer);
  }
  own_.close(static_cast<int>(receivers.size()));
  complete_ = true;
}

SharedSegment::~SharedSegment() {
  std::set<int> left;
  for (std::size_t i = 0; complete_ && i < ends_.receives.size(); ++i) {
    if (left.insert(ends_.receives[i].peer).second) {
      mpi::NodePiece::leave(*mapped_.at(ends_.receives[i].peer), places_[i].piece);
    }
  }
}

void SharedSegment::exchange_places(MPI_Comm comm, int tag_base) {
  constexpr int place_bytes = sizeof(SharedPlace);
  for (std::size_t i = 0; i < ends_.sends.size(); ++i) {
    const SharedEnd& end = ends_.sends[i];
    mpi::check(MPI_Isend(&outgoing_[i], place_bytes, MPI_BYTE, end.peer, tag_base + end.tag, comm, &requests_[i]),
               "MPI_Isend");
  }
  for (std::size_t i = 0; i < ends_.receives.size(); ++i) {
    const SharedEnd& end = ends_.receives[i];
    mpi::check(MPI_Recv(&places_[i], place_bytes, MPI_BYTE, end.peer, tag_base + end.tag, comm, MPI_STATUS_IGNORE),
               "MPI_Recv");
  }
  mpi::check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

void drive_mpi(MPI_Comm comm) {
  int found = 0;
  mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

void Backoff::pause() {
  // A spinning rank detects data within tens of nanoseconds. After some microseconds, it may occupy the core that the
  // other rank needs, or the other rank may wait in MPI for progress of this rank.
  constexpr unsigned yields_per_progress = 4;
  if (spins_left_ > 0) {
    --spins_left_;
    relax();
    return;
  }
  away_s_ = std::max(away_s_, mpi::yield_core_s());
  if (++yields_ % yields_per_progress == 0) {
    drive_mpi(comm_);
  }
}

}  // namespace adcl::codelets
