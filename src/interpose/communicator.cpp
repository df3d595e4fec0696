#include "interpose/communicator.hpp"

#include <mutex>
#include <set>

#include "interpose/process.hpp"
#include "mpi/check.hpp"
#include "mpi/own_calls.hpp"
#include "mpi/together.hpp"

namespace adcl::interpose {
namespace {

std::atomic<int> contexts{0};

/// Communicators that are not freed.
struct Live {
  std::mutex mutex;
  std::set<const Communicator*> all;
};

Live& live() {
  static auto* const instance = new Live();  // never destroyed: MPI may be finalized after main()
  return *instance;
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
              place_.size > 1;
  const std::scoped_lock lock(live().mutex);
  live().all.insert(this);
}

Communicator::~Communicator() {
  {
    const std::scoped_lock lock(live().mutex);
    live().all.erase(this);
  }
  for (const auto& search : searches_) {
    process().keep(search->summary());
  }
  searches_.clear();
  if (context_ != nullptr) {
    context_.reset();
    --contexts;
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

/// MPI_Comm_split copies no attributes, unlike MPI_Comm_dup, which would call the program's functions. The context is a
/// duplicate of the new communicator, which is then freed.
const std::shared_ptr<mpi::Context>& Communicator::context() {
  if (context_ == nullptr) {
    mpi::do_together(comm_, [] { process().open_environment(); });
    MPI_Comm same = MPI_COMM_NULL;
    mpi::do_together(comm_, [&] {
      mpi::check(MPI_Comm_split(comm_, 0, place_.rank, &same), "MPI_Comm_split");
      mpi::check(MPI_Comm_set_errhandler(same, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    });
    context_ = mpi::Context::of(same);
    ++contexts;
    mpi::check(MPI_Comm_free(&same), "MPI_Comm_free");
  }
  return context_;
}

std::vector<Summary> Communicator::summaries() {
  const std::scoped_lock lock(live().mutex);
  std::vector<Summary> all;
  for (const Communicator* const one : live().all) {
    for (const auto& search : one->searches_) {
      all.push_back(search->summary());
    }
  }
  return all;
}

bool Communicator::has_room() noexcept { return contexts.load() < most_contexts; }

}  // namespace adcl::interpose
