#include "interpose/communicator.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <numeric>
#include <set>
#include <utility>

#include "interpose/persistent.hpp"
#include "interpose/process.hpp"
#include "mpi/check.hpp"
#include "mpi/own_calls.hpp"
#include "mpi/together.hpp"

namespace adcl::interpose {
namespace {

std::atomic<int> contexts{0};

/// Communicators that have not been freed.
struct Live {
  std::mutex mutex;
  std::set<Communicator*> all;
};

Live& live() {
  static auto* const instance = new Live();  // never destroyed: MPI may be finalized after main()
  return *instance;
}

/// Whether all processes belong to MPI_COMM_WORLD. Spawned processes may not have preloaded the interposer. The result
/// is the same on all ranks: processes of two worlds are outside of each other's world.
bool is_within_world(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  int size = 0;
  mpi::check(MPI_Comm_group(comm, &group), "MPI_Comm_group");
  mpi::check(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  mpi::check(MPI_Group_size(group, &size), "MPI_Group_size");
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> translated(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  mpi::check(MPI_Group_translate_ranks(group, size, ranks.data(), world, translated.data()),
             "MPI_Group_translate_ranks");
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return std::ranges::find(translated, MPI_UNDEFINED) == translated.end();
}

/// Numbers of neighbors of this rank; nothing without a topology. The same rank may be counted several times.
std::optional<BlockNumbers> neighbors_of(MPI_Comm comm, int rank) {
  int topology = MPI_UNDEFINED;
  int in = 0;
  int out = 0;
  int code = MPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    code = MPI_Cartdim_get(comm, &in);
    in *= 2;
    out = in;
  } else if (topology == MPI_GRAPH) {
    code = MPI_Graph_neighbors_count(comm, rank, &in);
    out = in;
  } else if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    code = MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  }
  return code == MPI_SUCCESS && topology != MPI_UNDEFINED ? std::optional(BlockNumbers{out, in}) : std::nullopt;
}

}  // namespace

Communicator* Communicator::of(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  if (MPI_Comm_get_attr(comm, process().key(), static_cast<void*>(&value), &found) != MPI_SUCCESS) {
    return nullptr;
  }
  if (found == 0) {
    auto made = std::make_unique<Communicator>(comm);
    if (MPI_Comm_set_attr(comm, process().key(), made.get()) != MPI_SUCCESS) {
      return nullptr;
    }
    value = made.release();
  }
  auto* const known = static_cast<Communicator*>(value);
  return known->eligible() ? known : nullptr;
}

Communicator::Communicator(MPI_Comm comm) : comm_(comm) {
  find_libadcl();
  int inter = 0;
  eligible_ = MPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter == 0 &&
              MPI_Comm_rank(comm, &place_.rank) == MPI_SUCCESS && MPI_Comm_size(comm, &place_.size) == MPI_SUCCESS &&
              place_.size > 1 && is_within_world(comm);
  neighbors_ = eligible_ ? neighbors_of(comm, place_.rank) : std::nullopt;
  const std::scoped_lock lock(live().mutex);
  live().all.insert(this);
}

Communicator::~Communicator() {
  {
    const std::scoped_lock lock(live().mutex);
    live().all.erase(this);
  }
  end();
}

void Communicator::end() {
  for (const Entry& entry : searches_) {
    entry.search->store_results();
  }
  by_key_.clear();
  searches_.clear();
  if (persistent_ != nullptr) {
    PersistentSet::retire(std::move(persistent_));
  }
  if (context_ != nullptr) {
    // Persistent requests of the program may still use the context.
    contexts -= context_.use_count() == 1 ? 1 : 0;
    context_.reset();
  }
}

PersistentSet& Communicator::persistent() {
  if (persistent_ == nullptr) {
    persistent_ = std::make_unique<PersistentSet>(*this);
  }
  return *persistent_;
}

/// All ranks have the same contexts, and free them in the same order.
void Communicator::end_all() {
  std::vector<Communicator*> all;
  {
    const std::scoped_lock lock(live().mutex);
    all.assign(live().all.begin(), live().all.end());
  }
  const auto order = [](const Communicator* one) {
    return one->context_ != nullptr ? one->context_->order() : mpi::Context::Order{};
  };
  std::ranges::sort(all, {}, order);
  for (Communicator* const one : all) {
    one->end();
  }
  PersistentSet::end_retired();
}

Search* Communicator::search(const Key& key) {
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) {
    return known->second;
  }
  if (searches_.size() >= most_searches) {
    drop_rare_searches();
  }
  auto made = std::make_unique<Search>(*this, key, family_of(key));
  const std::int64_t now = calls();
  Entry& entry = searches_.emplace_back();
  entry.search = std::move(made);
  entry.used_at = now;
  by_key_.emplace(key, entry.search.get());
  return entry.search.get();
}

SizeClass& Communicator::family_of(const Key& key) {
  Key largest = key;
  largest.bytes = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(key.bytes)));
  auto& family = classes_[largest];
  if (family == nullptr) {
    family = std::make_unique<SizeClass>(largest.bytes);
  }
  return *family;
}

/// Number of calls that the classes have counted.
std::int64_t Communicator::calls() const {
  return std::accumulate(classes_.begin(), classes_.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& family) { return sum + family.second->calls(); });
}

std::int64_t Communicator::Entry::calls_in_window() const {
  return std::max<std::int64_t>(search->calls() - window_calls, 0);
}

/// A request is freed if the number of the communicator's calls has quadrupled since its last use. A program that
/// returns to a size therefore rarely creates its request again.
void Communicator::review() {
  constexpr std::int64_t fewest_calls = 2000;
  const std::int64_t now = calls();
  for (Entry& entry : searches_) {
    const std::int64_t of_search = entry.search->calls();
    if (of_search != entry.calls) {
      entry.calls = of_search;
      entry.used_at = now;
    } else if (entry.search->has_request() && now - entry.used_at >= std::max(fewest_calls, 3 * entry.used_at)) {
      entry.search->give_back();
    }
  }
}

bool Communicator::is_full() const {
  return std::ranges::count_if(searches_, [](const Entry& one) { return one.search->has_request(); }) >= most_requests;
}

bool Communicator::make_room(const Search& newcomer) {
  constexpr std::int64_t calls_per_search = 64;  // enough to compare rates
  if (calls() - window_ < calls_per_search * std::ssize(searches_)) {
    return false;
  }
  const Entry* rarest = nullptr;
  std::int64_t wanted = 0;
  for (const Entry& entry : searches_) {
    if (entry.search.get() == &newcomer) {
      wanted = entry.calls_in_window();
    } else if (entry.search->has_request() &&
               (rarest == nullptr || entry.calls_in_window() < rarest->calls_in_window())) {
      rarest = &entry;
    }
  }
  const bool found = rarest != nullptr && 2 * rarest->calls_in_window() < wanted;
  if (found) {
    rarest->search->give_back();
  }
  begin_window();
  return found;
}

void Communicator::begin_window() {
  window_ = calls();
  for (Entry& entry : searches_) {
    entry.window_calls = entry.search->calls();
  }
}

void Communicator::withdraw(SizeClass& family, const std::string& reason) {
  family.reject({}, reason);
  for (const Entry& entry : searches_) {
    if (&entry.search->family() == &family && entry.search->has_request()) {
      entry.search->keep_native(reason);
    }
  }
}

/// Drops half of the searches without a request: those with the fewest calls in the window. Threads may know their
/// addresses, so the generation changes.
void Communicator::drop_rare_searches() {
  std::vector<Entry*> rare;
  for (Entry& entry : searches_) {
    if (!entry.search->has_request()) {
      rare.push_back(&entry);
    }
  }
  std::ranges::stable_sort(rare, {}, &Entry::calls_in_window);
  rare.resize((rare.size() + 1) / 2);
  for (Entry* const entry : rare) {
    entry->search->retire();
    by_key_.erase(entry->search->key());
    entry->search.reset();
  }
  std::erase_if(searches_, [](const Entry& entry) { return entry.search == nullptr; });
  begin_window();
  ++generation;
}

/// MPI_Comm_split copies no attributes, unlike MPI_Comm_dup, which would call the program's functions. The context
/// duplicates the new communicator, which is then freed.
const std::shared_ptr<mpi::Context>& Communicator::context() {
  if (context_ == nullptr) {
    mpi::run_collectively(comm_, [] { process().open_environment(); });
    MPI_Comm same = MPI_COMM_NULL;
    mpi::run_collectively(comm_, [&] {
      mpi::check(MPI_Comm_split(comm_, 0, place_.rank, &same), "MPI_Comm_split");
      mpi::check(MPI_Comm_set_errhandler(same, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    });
    context_ = mpi::Context::of(same);
    ++contexts;
    mpi::check(MPI_Comm_free(&same), "MPI_Comm_free");
  }
  return context_;
}

std::optional<BlockNumbers> Communicator::blocks(const Key& key) const {
  return key.neighborhood ? neighbors_ : block_numbers(key, place_);
}

bool Communicator::has_room(int part) noexcept { return contexts.load() < most_contexts / part; }

}  // namespace adcl::interpose
