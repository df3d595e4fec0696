#include "mpi/context.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/environment.hpp"
#include "mpi/library.hpp"
#include "mpi/together.hpp"

namespace adcl::mpi {
namespace {

/// User communicators that have a context.
struct KnownCommunicators {
  std::mutex mutex;
  std::unordered_set<MPI_Comm> comms;
  std::int64_t contexts = 0;  ///< number of contexts that this process has created
};

KnownCommunicators& known_communicators() {
  static KnownCommunicators all;
  return all;
}

std::atomic<int> live_windows{0};

/// The value of an attribute; null if it is not set.
void* attribute_of(MPI_Comm comm, int key) {
  void* value = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(comm, key, static_cast<void*>(&value), &found), "MPI_Comm_get_attr");
  return found != 0 ? value : nullptr;
}

/// The largest tag that messages may use.
int tag_upper_bound() {
  constexpr int least_of_mpi = 32767;
  const auto* const bound = static_cast<const int*>(attribute_of(MPI_COMM_WORLD, MPI_TAG_UB));
  return bound != nullptr ? *bound : least_of_mpi;
}

/// The result is the same on all ranks of \p comm.
void require_intracommunicator(MPI_Comm comm) {
  require(comm != MPI_COMM_NULL, Code::argument, "the communicator is MPI_COMM_NULL");
  int inter = 0;
  check(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  require(inter == 0, Code::argument,
          "the communicator is an intercommunicator; merge it with MPI_Intercomm_merge first");
}

/// Runs \p create, which sets \p object to a new object. If it fails on a rank, abandons the object on the other ranks
/// and throws the same error on all ranks. Collective over \p comm.
template <typename Pointer>
void create_or_abandon(MPI_Comm comm, const Pointer& object, const std::function<void()>& create) {
  try {
    run_collectively(comm, create);
  } catch (...) {
    if (object != nullptr) {
      object->abandon();
    }
    throw;
  }
}

/// Sum of \p value over the ranks below \p rank, which is the caller's rank. Collective.
int sum_below(int value, int rank, MPI_Comm comm) {
#ifdef SMPI_H
  // SMPI (3.32)'s MPI_Exscan sends a message from each rank to each higher rank: minutes of simulation on 512 ranks.
  // Here each step doubles the number of ranks in a sum (Hillis and Steele, Data Parallel Algorithms, CACM 1986).
  int size = 0;
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  const int tag = tag_upper_bound();  // Context::take_tags never returns a tag this large
  int sum = value;
  for (int step = 1; step < size; step *= 2) {
    const int above = rank + step < size ? rank + step : MPI_PROC_NULL;
    const int below = rank >= step ? rank - step : MPI_PROC_NULL;
    const int own = sum;
    int theirs = 0;
    check(MPI_Sendrecv(&own, 1, MPI_INT, above, tag, &theirs, 1, MPI_INT, below, tag, comm, MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
    sum += theirs;
  }
  return sum - value;
#else
  int sum = 0;
  check(MPI_Exscan(&value, &sum, 1, MPI_INT, MPI_SUM, comm), "MPI_Exscan");
  return rank == 0 ? 0 : sum;
#endif
}

/// The nodes of \p comm as seen by rank \p rank; \p split creates the communicator of its node. Uses one split, then
/// reductions of fixed size: no process stores data about every other process. Collective.
Nodes nodes_of(MPI_Comm comm, int rank, const std::function<MPI_Comm()>& split) {
  // Free the communicator: MPI supports few of them, and the list of ranks is sufficient.
  const auto node = create_collectively(comm, split);
  Nodes nodes;
  run_collectively(comm, [&] { nodes.ranks.resize(static_cast<std::size_t>(node->size())); });
  check(MPI_Allgather(&rank, 1, MPI_INT, nodes.ranks.data(), 1, MPI_INT, node->get()), "MPI_Allgather");
  // MPI keeps the order of the ranks within a node; SMPI (3.32) does not.
  const auto lowest = std::min_element(nodes.ranks.begin(), nodes.ranks.end());
  const int leader = static_cast<int>(lowest - nodes.ranks.begin());
  const int leads = node->rank() == leader ? 1 : 0;
  std::sort(nodes.ranks.begin(), nodes.ranks.end());
  // The number of a node is the count of nodes whose lowest rank is lower.
  nodes.own = sum_below(leads, rank, comm);
  check(MPI_Bcast(&nodes.own, 1, MPI_INT, leader, node->get()), "MPI_Bcast");
  std::array<std::uint64_t, 2> sums = {static_cast<std::uint64_t>(leads), node_hash(rank, nodes.own)};
  check(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_UINT64_T, MPI_SUM, comm),
        "MPI_Allreduce");
  nodes.count = static_cast<int>(sums[0]);
  nodes.hash = sums[1];
  nodes.smallest = node->size();
  check(MPI_Allreduce(MPI_IN_PLACE, &nodes.smallest, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return nodes;
}

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
/// In Open MPI 4 (seen with 4.1.4), the processes of a window attach to a shared memory file named after the node, the
/// job and the communicator's number (osc/rdma). Disjoint communicators have the same numbers, so their windows share a
/// file: hangs, errors and wrong data follow (open-mpi issue 9492). No communicator is disjoint from a communicator of
/// all processes of the job, and a single process creates no file. Spawned processes are excluded, because they can
/// have other communicators as large as MPI_COMM_WORLD. The component of a window is known only after the window was
/// opened, so it cannot be checked in advance.
const char* partial_window_defect(int size) {
  MPI_Comm parent = MPI_COMM_NULL;
  check(MPI_Comm_get_parent(&parent), "MPI_Comm_get_parent");
  return size > 1 && (size != world_size() || parent != MPI_COMM_NULL)
             ? "windows of Open MPI 4 on a communicator without all processes of the job can share a file with windows "
               "of other communicators (open-mpi issue 9492)"
             : nullptr;
}
#else
const char* partial_window_defect(int /*size*/) { return nullptr; }
#endif

}  // namespace

std::shared_ptr<Context> Context::of(MPI_Comm user) {
  require_intracommunicator(user);
  const int key = environment().context_key();
  if (const auto* const known = static_cast<const std::shared_ptr<Context>*>(attribute_of(user, key));
      known != nullptr) {
    return *known;
  }
  auto context = std::make_shared<Context>(user);
  run_collectively(context->comm(), [&] {
    auto holder = std::make_unique<std::shared_ptr<Context>>(context);
    const std::scoped_lock lock(known_communicators().mutex);
    known_communicators().comms.insert(user);
    const int code = MPI_Comm_set_attr(user, key, holder.get());
    if (code != MPI_SUCCESS) {
      known_communicators().comms.erase(user);
    }
    check(code, "MPI_Comm_set_attr");
    holder.release();
  });
  return context;
}

void Context::release_all() {
  std::unordered_set<MPI_Comm> comms;
  {
    const std::scoped_lock lock(known_communicators().mutex);
    comms.swap(known_communicators().comms);
  }
  if (is_finalized()) {
    return;
  }
  std::multimap<Order, MPI_Comm> ordered;
  for (MPI_Comm user : comms) {
    ordered.emplace(of(user)->order(), user);
  }
  for (const auto& [order, user] : ordered) {
    MPI_Comm_delete_attr(user, environment().context_key());
  }
}

void Context::forget(MPI_Comm user) {
  const std::scoped_lock lock(known_communicators().mutex);
  known_communicators().comms.erase(user);
}

Context::Context(MPI_Comm user) {
  run_collectively(user, [&] {
    check(MPI_Comm_dup(user, &comm_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
    tag_upper_bound_ = tag_upper_bound();
  });
  agree_on_order();
}

/// The order in which threads create contexts differs between processes. Each process numbers its contexts uniquely.
/// Therefore the largest number over all ranks and the number on rank 0 together distinguish any two contexts that
/// share a process.
void Context::agree_on_order() {
  std::int64_t number = 0;
  {
    const std::scoped_lock lock(known_communicators().mutex);
    number = ++known_communicators().contexts;
  }
  const bool first = rank_ == 0;
  order_ = {number, first ? world_rank() : -1, first ? number : -1};
  check(MPI_Allreduce(MPI_IN_PLACE, order_.data(), static_cast<int>(order_.size()), MPI_INT64_T, MPI_MAX, comm_),
        "MPI_Allreduce");
  const std::scoped_lock lock(known_communicators().mutex);
  known_communicators().contexts = std::max(known_communicators().contexts, order_[0]);
}

const char* Context::window_defect() const {
  const char* defect = partial_window_defect(size_);
  return defect != nullptr ? defect : environment().window_defect();
}

Context::~Context() {
  states_.clear();
  if (comm_ != MPI_COMM_NULL && !is_finalized()) {
    MPI_Comm_free(&comm_);
  }
}

const Machine& Context::machine() {
  if (!machine_) {
    Machine machine;
    machine.ranks = size_;
    run_collectively(comm_, [&machine] {
      NameAndVersion library = split_version(library_version());
      machine.library = std::move(library.name);
      machine.version = std::move(library.version);
    });
    machine.nodes = nodes_of(comm_, rank_, [this] {
      MPI_Comm node = MPI_COMM_NULL;
      check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
      return node;
    });
    machine_ = std::move(machine);
  }
  return *machine_;
}

void Context::set_nodes(int node) {
  machine();
  machine_->nodes = nodes_of(comm_, rank_, [&] {
    MPI_Comm same = MPI_COMM_NULL;
    check(MPI_Comm_split(comm_, node, rank_, &same), "MPI_Comm_split");
    return same;
  });
}

int Context::take_tags(int span) {
  const auto reusable = free_tags_.find(span);
  if (reusable != free_tags_.end()) {
    const int first = reusable->second;
    free_tags_.erase(reusable);
    return first;
  }
  require(span <= tag_upper_bound_ - next_tag_, Code::unsupported, "the communicator has no tags left: ", next_tag_,
          " are in use and MPI_TAG_UB is ", tag_upper_bound_, "; free requests that are no longer needed");
  next_tag_ += span;
  return next_tag_ - span;
}

void Context::give_back_tags(int first, int span) { free_tags_.emplace(span, first); }

template <typename Object, typename Make>
std::shared_ptr<Object> Context::find_or_create(std::map<ObjectKey, std::weak_ptr<Object>>& all, const ObjectKey& key,
                                                int count, const Make& make) {
  std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  const auto known = all.find(key);
  std::shared_ptr<Object> object = known != all.end() ? known->second.lock() : nullptr;
  const auto [missing, most] = maxima(comm_, {object == nullptr ? 1 : 0, count});
  if (missing == 0) {
    return object;
  }
  require(most < window_budget, Code::unsupported, "a process already has ", most,
          " windows; more windows could exhaust the resources of the MPI library");
  object.reset();
  create_or_abandon(comm_, object, [&] {
    object = make();
    all[key] = object;
  });
  return object;
}

std::shared_ptr<Communicator> Context::cached_communicator(const ObjectKey& key,
                                                           const std::function<MPI_Comm()>& make) {
  return find_or_create(communicators_, key, 0, [&] { return std::make_shared<Communicator>(make()); });
}

std::shared_ptr<Window> Context::cached_window(const ObjectKey& key, const void* memory,
                                               const std::function<MPI_Win()>& make) {
  return find_or_create(windows_, key, Window::count(), [&] { return std::make_shared<Window>(make(), memory); });
}

std::unique_ptr<Communicator> create_collectively(MPI_Comm comm, const std::function<MPI_Comm()>& make) {
  std::unique_ptr<Communicator> made;
  create_or_abandon(comm, made, [&] { made = std::make_unique<Communicator>(make()); });
  return made;
}

Communicator::Communicator(MPI_Comm comm) : comm_(comm) {
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

Communicator::~Communicator() {
  if (comm_ != MPI_COMM_NULL && !is_finalized()) {
    MPI_Comm_free(&comm_);
  }
}

Window::Window(MPI_Win window, const void* memory) : window_(window), memory_(memory) {
  ++live_windows;
  check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
}

Window::~Window() {
  if (window_ != MPI_WIN_NULL && !is_finalized()) {
    --live_windows;
    MPI_Win_free(&window_);
  }
}

const void* Window::base() const {
  void* base = nullptr;
  int found = 0;
  check(MPI_Win_get_attr(window_, MPI_WIN_BASE, static_cast<void*>(&base), &found), "MPI_Win_get_attr");
  return found != 0 ? base : nullptr;
}

int Window::count() noexcept { return live_windows.load(); }

}  // namespace adcl::mpi
