// Passive target: the window is locked once for the lifetime of the plan. A receiver signals when its halo may be
// overwritten, a sender when its data have arrived; both signals are empty messages. Source: Belli and Hoefler,
// "Notified Access: Extending Remote Memory Access Programming Models for Producer-Consumer Synchronization", IPDPS
// 2015, emulated with MPI-3 calls.
#include <map>
#include <optional>
#include <utility>

#include "codelets/neighborhood/blocking_plan.hpp"
#include "codelets/neighborhood/one_sided/remote_access.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "mpi/check.hpp"
#include "mpi/environment.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

/// Persistent empty messages, all with one tag: between two ranks they match in the order ready, arrived on both sides.
class Signals {
 public:
  Signals() = default;
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() {
    if (!mpi::is_finalized()) {
      for (MPI_Request& request : requests_) {
        if (request != MPI_REQUEST_NULL) {
          MPI_Request_free(&request);
        }
      }
    }
  }
  void add_send(int peer, int tag, MPI_Comm comm) {
    mpi::check(MPI_Send_init(nullptr, 0, MPI_BYTE, peer, tag, comm, &requests_.emplace_back(MPI_REQUEST_NULL)),
               "MPI_Send_init");
  }
  void add_receive(int peer, int tag, MPI_Comm comm) {
    mpi::check(MPI_Recv_init(nullptr, 0, MPI_BYTE, peer, tag, comm, &requests_.emplace_back(MPI_REQUEST_NULL)),
               "MPI_Recv_init");
  }
  void start_all() {
    if (!requests_.empty()) {
      mpi::check(MPI_Startall(size(), requests_.data()), "MPI_Startall");
    }
  }
  void start(int i) { mpi::check(MPI_Start(&requests_[static_cast<std::size_t>(i)]), "MPI_Start"); }
  void wait_all() { mpi::check(MPI_Waitall(size(), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall"); }
  int wait_any() {
    int i = MPI_UNDEFINED;
    mpi::check(MPI_Waitany(size(), requests_.data(), &i, MPI_STATUS_IGNORE), "MPI_Waitany");
    return i;
  }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(requests_.size()); }

 private:
  std::vector<MPI_Request> requests_;
};

/// Keeps a window locked for shared access to all ranks.
class Lock {
 public:
  explicit Lock(MPI_Win window) : window_(window) { mpi::check(MPI_Win_lock_all(0, window_), "MPI_Win_lock_all"); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (!mpi::is_finalized()) {
      MPI_Win_unlock_all(window_);
    }
  }

 private:
  MPI_Win window_;
};

class PassivePutPlan final : public BlockingPlan {
 public:
  PassivePutPlan(const HaloProblem& problem, mpi::Context& context, const Buffers& buffers)
      : remote_(problem, context, buffers, Access::put, WindowKind::notified_array) {
    mpi::run_collectively(context.comm(), [&] {
      prepare_signals(problem, context.comm());
      lock_.emplace(remote_.window());
    });
  }

  void start(const Buffers& /*buffers*/) override {
    // Makes the caller's stores public before other ranks write next to them; at the end makes the other ranks' writes
    // visible.
    mpi::check(MPI_Win_sync(remote_.window()), "MPI_Win_sync");
    ready_in_.start_all();
    arrived_in_.start_all();
    ready_out_.start_all();
    for (int n = 0; n < ready_in_.size(); ++n) {
      const int t = ready_in_.wait_any();
      const Target& target = targets_[static_cast<std::size_t>(t)];
      for (const std::size_t i : target.puts) {
        remote_.issue(i);
      }
      mpi::check(MPI_Win_flush(target.peer, remote_.window()), "MPI_Win_flush");
      arrived_out_.start(t);
    }
    ready_out_.wait_all();
    arrived_in_.wait_all();
    arrived_out_.wait_all();
    mpi::check(MPI_Win_sync(remote_.window()), "MPI_Win_sync");
  }

 private:
  struct Target {
    int peer;
    std::vector<std::size_t> puts;
  };

  void prepare_signals(const HaloProblem& problem, MPI_Comm comm) {
    std::map<int, std::vector<std::size_t>> puts;
    for (std::size_t i = 0; i < remote_.active().size(); ++i) {
      puts[remote_.active()[i].peer].push_back(i);
    }
    for (auto& [peer, indices] : puts) {
      ready_in_.add_receive(peer, problem.tag_base, comm);
      arrived_out_.add_send(peer, problem.tag_base, comm);
      targets_.push_back({peer, std::move(indices)});
    }
    int last = MPI_PROC_NULL;
    for (const Transfer& transfer : remote_.passive()) {  // sorted by peer
      if (transfer.peer != last) {
        last = transfer.peer;
        ready_out_.add_send(last, problem.tag_base, comm);
        arrived_in_.add_receive(last, problem.tag_base, comm);
      }
    }
  }

  RemoteAccess remote_;
  std::vector<Target> targets_;
  Signals ready_in_;     ///< request t belongs to targets_[t]
  Signals arrived_out_;  ///< request t belongs to targets_[t]
  Signals ready_out_;
  Signals arrived_in_;
  std::optional<Lock> lock_;
};

}  // namespace

Rows passive_put() {
  return {
      {.name = "PassivePut_notify",
       .attributes = attributes(Partners::aao, NonContiguous::ddt, Primitive::passive_put, Completion::none),
       .capabilities = {.fixed_buffers = true, .collective_plan = true},
       .requirements = needs::same_layout,
       .source = "Belli and Hoefler, Notified Access, IPDPS 2015",
       .algorithm = one_sided_algorithm<PassivePutPlan>(),
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
