#include "codelets/neighborhood/shared_segment.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>

#include "mpi/check.hpp"
#include "mpi/group.hpp"
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

MPI_Win allocate(MPI_Comm comm, std::size_t bytes) {
  bytes = std::max(bytes, SharedLink::line_bytes);
  // Parts need not be adjacent: each begins on a page of its own, near its rank.
  MPI_Info info = MPI_INFO_NULL;
  mpi::check(MPI_Info_create(&info), "MPI_Info_create");
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  void* base = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  const int code =
      MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, info, comm, static_cast<void*>(&base), &window);
  MPI_Info_free(&info);
  mpi::check(code, "MPI_Win_allocate_shared");
  std::memset(base, 0, bytes);
  return window;
}

}  // namespace

SharedLink::SharedLink(std::byte* memory, std::size_t bytes, bool acknowledged)
    : memory_(memory), slot_bytes_(lines(header_bytes + bytes)), acknowledged_(acknowledged) {}

std::size_t SharedLink::memory_bytes(std::size_t bytes) { return line_bytes + 2 * lines(header_bytes + bytes); }

SharedSegment::SharedSegment(const HaloProblem& problem, mpi::Context& context, std::size_t bytes, WindowKind kind)
    : shared_rank_(mpi::translated_ranks(context.comm(), context.shared().get())) {
  window_ = context.cached_window(window_key(problem, kind), nullptr,
                                  [&] { return allocate(context.shared().get(), bytes); });
}

std::byte* SharedSegment::part_of(int rank) const {
  MPI_Aint bytes = 0;
  int unit = 0;
  void* base = nullptr;
  mpi::check(MPI_Win_shared_query(window_->get(), shared_rank_[static_cast<std::size_t>(rank)], &bytes, &unit,
                                  static_cast<void*>(&base)),
             "MPI_Win_shared_query");
  return static_cast<std::byte*>(base);
}

std::vector<bool> same_node(const HaloProblem& problem, mpi::Context& context) {
  const std::vector<int> shared = mpi::translated_ranks(context.comm(), context.shared().get());
  const auto& nodes = problem.node_of_rank;
  const auto me = static_cast<std::size_t>(context.rank());
  std::vector<bool> same(shared.size());
  for (std::size_t rank = 0; rank < shared.size(); ++rank) {
    same[rank] = shared[rank] != MPI_UNDEFINED && (nodes.empty() || nodes[rank] == nodes[me]);
  }
  return same;
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
