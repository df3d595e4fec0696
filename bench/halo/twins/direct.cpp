// The arrays are in memory that the ranks of a node share, and each rank copies its halo out of its neighbors' arrays:
// every byte is moved once, without an MPI call. Each rank has two counters: one shows when its array may be read, the
// other shows when it has read its neighbors' arrays.
#include <sched.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>

#include "halo/twins/twins.hpp"

namespace twins {
namespace {

/// Each counter has its own cache lines: a processor fetches two at a time.
struct Counters {
  alignas(128) std::atomic<std::uint64_t> ready;
  alignas(128) std::atomic<std::uint64_t> finished;
};

constexpr int spins_before_yield = 2000;

void wait_until(const std::atomic<std::uint64_t>& counter, std::uint64_t value) {
  for (int spins = 0; counter.load(std::memory_order_acquire) < value; ++spins) {
    if (spins >= spins_before_yield) {
      sched_yield();
    } else {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  }
}

class Direct final : public Twin {
 public:
  Direct(const Block& block, MPI_Comm node) : sides_(sides_of(block)), points_(block.points()), node_(node) {
    MPI_Comm_rank(node_, &rank_);
    const auto bytes = static_cast<MPI_Aint>(sizeof(Counters) + block.fields.size() * points_ * sizeof(double));
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");  // each part begins at a page boundary
    void* part = nullptr;
    MPI_Win_allocate_shared(bytes, 1, info, node_, &part, &window_);
    MPI_Info_free(&info);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    new (part) Counters{};
    parts_.resize(sides_.size());
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      MPI_Aint size = 0;
      int unit = 0;
      MPI_Win_shared_query(window_, sides_[i].peer, &size, &unit, static_cast<void*>(&parts_[i]));
      const bool known = std::find(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(i), parts_[i]) !=
                         parts_.begin() + static_cast<std::ptrdiff_t>(i);
      if (!known && sides_[i].peer != rank_) {
        peers_.push_back(counters(parts_[i]));
      }
    }
    mine_ = counters(static_cast<std::byte*>(part));
    for (std::size_t f = 0; f < block.fields.size(); ++f) {
      fields_.push_back(field(static_cast<std::byte*>(part), f));
    }
    MPI_Barrier(node_);
  }
  ~Direct() override {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
    MPI_Comm_free(&node_);
  }

  void exchange() override { run<true>(); }
  [[nodiscard]] std::function<void()> handshake() override {
    return [this] { run<false>(); };
  }
  [[nodiscard]] std::function<void()> copies() override {
    return [this] {
      for (std::size_t i = 0; i < sides_.size(); ++i) {
        take(i);
      }
    };
  }

  [[nodiscard]] std::vector<double*> fields() const override { return fields_; }

 private:
  template <bool Copying>
  void run() {
    ++operation_;
    mine_->ready.store(operation_, std::memory_order_release);
    if constexpr (Copying) {
      for (std::size_t i = 0; i < sides_.size(); ++i) {
        if (sides_[i].peer == rank_) {
          take(i);
        }
      }
    }
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      if (sides_[i].peer != rank_) {
        wait_until(counters(parts_[i])->ready, operation_);
        if constexpr (Copying) {
          take(i);
        }
      }
    }
    mine_->finished.store(operation_, std::memory_order_release);
    for (const Counters* peer : peers_) {
      wait_until(peer->finished, operation_);
    }
  }

  static Counters* counters(std::byte* part) { return std::launder(reinterpret_cast<Counters*>(part)); }
  [[nodiscard]] double* field(std::byte* part, std::size_t f) const {
    return reinterpret_cast<double*>(part + sizeof(Counters)) + f * points_;
  }

  void take(std::size_t i) {
    const Box& from = sides_[i].sent_by_peer;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      copy(from, field(parts_[i], f), sides_[i].receive, fields_[f]);
    }
  }

  std::vector<Side> sides_;
  std::size_t points_;
  MPI_Comm node_;
  int rank_ = 0;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<std::byte*> parts_;  ///< shared memory of the sides' peers
  std::vector<const Counters*> peers_;
  Counters* mine_ = nullptr;
  std::vector<double*> fields_;
  std::uint64_t operation_ = 0;
};

/// True if the arrays of all ranks fit into half of the free memory: an MPI library that runs out of shared memory
/// crashes or hangs instead of returning an error.
bool fits(const Block& block, int ranks) {
  struct statvfs space = {};
  if (statvfs("/dev/shm", &space) != 0) {
    return false;
  }
  const double wanted = static_cast<double>(ranks) * static_cast<double>(block.fields.size() * block.points()) *
                        static_cast<double>(sizeof(double));
  return 2.0 * wanted < static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
}

std::unique_ptr<Twin> make_direct(const Block& block) {
  MPI_Comm node = MPI_COMM_NULL;
  int rank = 0;
  MPI_Comm_rank(block.cart, &rank);
  MPI_Comm_split_type(block.cart, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int all = 0;
  int here = 0;
  MPI_Comm_size(block.cart, &all);
  MPI_Comm_size(node, &here);
  int possible = here == all && fits(block, all) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &possible, 1, MPI_INT, MPI_MIN, block.cart);
  if (possible == 0) {
    MPI_Comm_free(&node);
    return nullptr;
  }
  return std::make_unique<Direct>(block, node);
}

}  // namespace

const std::vector<Row>& shared_twins() {
  static const std::vector<Row> rows = {{"direct", make_direct}};
  return rows;
}

}  // namespace twins
