#include "interpose/communicator.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <set>

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
  for (const auto& search : searches_) {
    process().keep(search->summary());
  }
  searches_.clear();
  if (context_ != nullptr) {
    context_.reset();
    --contexts;
  }
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
}

Search* Communicator::search(const Key& key) {
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) {
    return known->second;
  }
  if (searches_.size() >= most_searches) {
    return nullptr;
  }
  Search* const made = searches_.emplace_back(std::make_unique<Search>(*this, key)).get();
  by_key_.emplace(key, made);
  return made;
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

bool Communicator::has_room() noexcept { return contexts.load() < most_contexts; }

}  // namespace adcl::interpose
