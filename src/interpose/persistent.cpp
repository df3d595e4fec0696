#include "interpose/persistent.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <ctime>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "interpose/engine.hpp"
#include "interpose/process.hpp"
#include "measure/stopwatch.hpp"
#include "mpi/check.hpp"
#include "profile/next.hpp"

namespace adcl::interpose {
namespace {

constexpr std::size_t most_persistent_searches = 32;  ///< per communicator
constexpr int most_plans = 128;                       ///< per process
constexpr std::int64_t most_agreed_inits = 64;        ///< later initializations agree only at powers of two
constexpr double plan_creation_s = 300e-6;            ///< estimate

template <typename Request>
std::uint64_t handle_value(Request request) {
  if constexpr (std::is_pointer_v<Request>) {
    return reinterpret_cast<std::uintptr_t>(request);
  } else {
    return static_cast<std::uint64_t>(request);
  }
}

/// Searches by request. The generation changes with the table, which invalidates the entries that threads remember.
struct TrackedTable {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, PersistentSearch*> by_request;
  std::atomic<std::uint64_t> generation{1};
};

TrackedTable& tracked_table() {
  static auto* const instance = new TrackedTable();  // never destroyed: MPI may be finalized after main()
  return *instance;
}

struct Remembered {
  std::uint64_t generation = 0;
  std::uint64_t request = 0;
  PersistentSearch* search = nullptr;
};
constexpr std::size_t remembered_entries = 16;
thread_local std::array<Remembered, remembered_entries> remembered;

/// Cost of creating plans in this process, and their number.
std::atomic<double> creation_spent_s{0.0};
std::atomic<int> plans_made{0};

std::mutex retired_mutex;
std::vector<std::pair<mpi::Context::Order, std::unique_ptr<PersistentSet>>>& retired() {
  static auto* const instance = new std::vector<std::pair<mpi::Context::Order, std::unique_ptr<PersistentSet>>>();
  return *instance;
}

/// Whether a call of the function by the program first reaches libadcl-interpose.
bool is_own(const char* name) {
  Dl_info found;
  Dl_info own;
  void* const address = dlsym(RTLD_DEFAULT, name);
  return address != nullptr && dladdr(address, &found) != 0 && dladdr(preloaded_library(), &own) != 0 &&
         found.dli_fbase == own.dli_fbase;
}

/// Whether all calls that complete requests are intercepted. A tool may replace them, and the functions of Fortran may
/// call PMPI_ functions.
bool sees_all_calls() {
  static const bool result = [] {
    constexpr std::array names{"MPI_Start",
                               "MPI_Startall",
                               "MPI_Wait",
                               "MPI_Waitall",
                               "MPI_Waitany",
                               "MPI_Waitsome",
                               "MPI_Test",
                               "MPI_Testall",
                               "MPI_Testany",
                               "MPI_Testsome",
                               "MPI_Request_get_status",
                               "MPI_Request_free"};
    return std::ranges::all_of(names, &is_own);
  }();
  return result && profile::find_next("mpi_wait_") == nullptr && profile::find_next("MPI_WAIT") == nullptr &&
         profile::find_next("mpi_wait__") == nullptr && profile::find_next("mpi_wait") == nullptr;
}

bool is_allowed(const Key& key, const Communicator& home) {
  return !has_gpu_runtime() && sees_all_calls() && plans_made.load() < most_plans &&
         (home.has_context() || Communicator::has_room(1)) &&
         (key.reduction.kind != NumberKind::floating_point || process().options().any_bits);
}

/// Bits of a proposal, which the ranks combine with a bitwise and. The lowest most_persistent_searches bits are the
/// searches that may serve the request.
constexpr std::uint64_t allowed_bit = std::uint64_t{1} << 32U;
constexpr std::uint64_t paid_bit = std::uint64_t{1} << 33U;
constexpr std::uint64_t rejected_bit = std::uint64_t{1} << 34U;  ///< the codelet was not faster for another request

void add_tracked(MPI_Request request, PersistentSearch* search) {
  TrackedTable& all = tracked_table();
  const std::scoped_lock lock(all.mutex);
  if (all.by_request.insert_or_assign(handle_value(request), search).second) {
    ++tracked_requests;
  }
  ++all.generation;
}

/// Begins to track the request. Returns whether it has a search.
bool track(const CollectiveCall& given, MPI_Request request) {
  Communicator* const comm = given.comm != MPI_COMM_NULL ? Communicator::of(given.comm) : nullptr;
  if (comm == nullptr || request == MPI_REQUEST_NULL) {
    return false;
  }
  const CollectiveCall call = significant(given, comm->place());
  const auto key = key_of(call, comm->place());
  if (!key.has_value()) {
    return false;
  }
  PersistentSearch* const search = comm->persistent().take(*key);
  if (search == nullptr) {
    return false;
  }
  search->attach(call);
  add_tracked(request, search);
  return true;
}

}  // namespace

PersistentSearch* find_persistent(MPI_Request request) {
  TrackedTable& all = tracked_table();
  const std::uint64_t number = handle_value(request);
  Remembered& entry = remembered[(number * 0x9e3779b97f4a7c15ULL) >> 60U];
  if (entry.generation == all.generation.load(std::memory_order_acquire) && entry.request == number) {
    return entry.search;
  }
  const std::scoped_lock lock(all.mutex);
  const auto found = all.by_request.find(number);
  entry = {all.generation.load(), number, found != all.by_request.end() ? found->second : nullptr};
  return entry.search;
}
static_assert(remembered_entries == 1U << 4U);

void forget_persistent(MPI_Request request) {
  TrackedTable& all = tracked_table();
  const std::scoped_lock lock(all.mutex);
  if (all.by_request.erase(handle_value(request)) > 0) {
    --tracked_requests;
  }
  ++all.generation;
}

int run_init(profile::Call function, const CollectiveCall& call, const NativeCall& native, const MPI_Request* request) {
  const mpi::OwnCalls own;
  const int code = native();
  if (code == MPI_SUCCESS) {
    try {
      if (track(call, *request)) {
        return code;
      }
    } catch (...) {
      return raise_error(call.comm);
    }
  }
  passed[static_cast<std::size_t>(function)].fetch_add(1, std::memory_order_relaxed);
  return code;
}

std::uint64_t PersistentSet::proposal(const Key& key) const {
  std::uint64_t bits = 0;
  bool rejected = false;
  for (std::size_t i = 0; i < searches_.size(); ++i) {
    const PersistentSearch& search = *searches_[i];
    if (search.key() == key) {
      bits |= !search.attached() ? std::uint64_t{1} << i : 0;
      rejected = rejected || search.is_over();
    }
  }
  // The processor time since the process was created, because the program may create its requests right after MPI_Init.
  const double used_s = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  const double earned_s = used_s * process().options().budget;
  bits |= is_allowed(key, home_) ? allowed_bit : 0;
  bits |= creation_spent_s.load() + plan_creation_s <= earned_s ? paid_bit : 0;
  bits |= rejected ? rejected_bit : 0;
  return bits;
}

PersistentSearch* PersistentSet::take(const Key& key) {
  ++inits_;
  if (inits_ > most_agreed_inits && !std::has_single_bit(static_cast<std::uint64_t>(inits_))) {
    return nullptr;
  }
  std::uint64_t agreed = proposal(key);
  MPI_Comm comm = home_.has_context() ? home_.context()->comm() : home_.comm();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &agreed, 1, MPI_UINT64_T, MPI_BAND, comm), "MPI_Allreduce");
  if ((agreed & allowed_bit) == 0 || (agreed & rejected_bit) != 0) {
    return nullptr;
  }
  const auto free = static_cast<std::uint32_t>(agreed);
  if (free != 0) {
    return searches_[static_cast<std::size_t>(std::countr_zero(free))].get();
  }
  if ((agreed & paid_bit) == 0 || searches_.size() == most_persistent_searches) {
    return nullptr;
  }
  const double begin_s = measure::now();
  const auto error = mpi::error_of(
      [&] { searches_.push_back(std::make_unique<PersistentSearch>(key, home_.comm(), home_.context())); });
  creation_spent_s = creation_spent_s.load() + measure::now() - begin_s;
  if (error.has_value()) {
    inits_ = most_agreed_inits + 1;  // the reason applies to later requests as well
    return nullptr;
  }
  ++plans_made;
  return searches_.back().get();
}

void PersistentSet::keep_summaries() const {
  for (const auto& search : searches_) {
    process().keep(search->summary());
  }
}

void PersistentSet::retire(std::unique_ptr<PersistentSet> set) {
  if (set->searches_.empty()) {
    return;
  }
  for (const auto& search : set->searches_) {
    search->forget_communicator();
  }
  const std::scoped_lock lock(retired_mutex);
  const mpi::Context::Order order = set->searches_.front()->context().order();
  retired().emplace_back(order, std::move(set));
}

void PersistentSet::end_retired() {
  {
    const std::scoped_lock lock(tracked_table().mutex);
    tracked_table().by_request.clear();
    tracked_requests = 0;
    ++tracked_table().generation;
  }
  std::ranges::sort(retired(), {}, [](const auto& one) { return one.first; });
  for (auto& [order, set] : retired()) {
    set->keep_summaries();
    set.reset();
  }
  retired().clear();
}

}  // namespace adcl::interpose
