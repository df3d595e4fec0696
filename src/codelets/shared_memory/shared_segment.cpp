#include "codelets/shared_memory/shared_segment.hpp"

#include <sched.h>

#include "mpi/check.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free, "locks do not work between processes");

std::size_t lines(std::size_t bytes) {
  return (bytes + SharedLink::line_bytes - 1) / SharedLink::line_bytes * SharedLink::line_bytes;
}

/// Tells the core that this is a waiting loop.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

SharedLink::SharedLink(std::byte* memory, std::size_t bytes, bool acknowledged)
    : SharedLink(acknowledged ? memory : nullptr, memory + line_bytes, bytes) {}

SharedLink::SharedLink(std::byte* acknowledgement, std::byte* slots, std::size_t bytes)
    : acknowledgement_(acknowledgement), slots_(slots), slot_bytes_(lines(header_bytes + bytes)) {}

std::size_t SharedLink::memory_bytes(std::size_t bytes, std::size_t receivers) {
  return receivers * line_bytes + 2 * lines(header_bytes + bytes);
}

SharedSegment::SharedSegment(MPI_Comm comm, int tag_base, std::size_t bytes, const std::vector<SharedEnd>& sends,
                             const std::vector<std::size_t>& offsets, const std::vector<SharedEnd>& receives) {
  mpi::do_together(comm, [&] {
    offsets_ = offsets;
    for (const SharedEnd& end : receives) {
      peers_.push_back(end.peer);
    }
    outgoing_.resize(sends.size());
    places_.resize(receives.size());
    requests_.resize(sends.size());
  });
  try {
    make(comm, tag_base, bytes, sends, receives, mpi::NodeMemoryKind::anonymous);
  } catch (const mpi::AgreedError&) {
    make(comm, tag_base, bytes, sends, receives, mpi::NodeMemoryKind::named);
  }
}

void SharedSegment::make(MPI_Comm comm, int tag_base, std::size_t bytes, const std::vector<SharedEnd>& sends,
                         const std::vector<SharedEnd>& receives, mpi::NodeMemoryKind kind) {
  mapped_.clear();
  own_.reset();
  mpi::do_together(comm, [&] {
    if (bytes > 0) {
      own_ = std::make_unique<mpi::NodeMemory>(bytes, kind);
    }
    for (std::size_t i = 0; i < sends.size(); ++i) {
      outgoing_[i] = {own_->handle(), offsets_[i]};
    }
  });
  mpi::do_together(comm, [&] { exchange_places(comm, tag_base, sends, receives); });
  mpi::do_together(comm, [&] {
    for (std::size_t i = 0; i < receives.size(); ++i) {
      if (mapped_.count(peers_[i]) == 0) {
        mapped_.emplace(peers_[i], mpi::NodeMapping(places_[i].memory, mpi::NodeMapping::Access::write));
      }
    }
  });
  if (own_ != nullptr) {
    own_->close();
  }
}

void SharedSegment::exchange_places(MPI_Comm comm, int tag_base, const std::vector<SharedEnd>& sends,
                                    const std::vector<SharedEnd>& receives) {
  constexpr int place_bytes = sizeof(SharedPlace);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    mpi::check(
        MPI_Isend(&outgoing_[i], place_bytes, MPI_BYTE, sends[i].peer, tag_base + sends[i].tag, comm, &requests_[i]),
        "MPI_Isend");
  }
  for (std::size_t i = 0; i < receives.size(); ++i) {
    mpi::check(MPI_Recv(&places_[i], place_bytes, MPI_BYTE, receives[i].peer, tag_base + receives[i].tag, comm,
                        MPI_STATUS_IGNORE),
               "MPI_Recv");
  }
  mpi::check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

void drive_mpi(MPI_Comm comm) {
  int found = 0;
  mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

void Backoff::pause() {
  // A spinning rank sees data within tens of nanoseconds. One that has waited for some microseconds may hold the core
  // that the other one needs, or the other one may wait in MPI for something that this rank has to answer.
  constexpr unsigned yields_per_progress = 4;
  if (spins_left_ > 0) {
    --spins_left_;
    relax();
    return;
  }
  sched_yield();
  if (++yields_ % yields_per_progress == 0) {
    drive_mpi(comm_);
  }
}

}  // namespace adcl::codelets
