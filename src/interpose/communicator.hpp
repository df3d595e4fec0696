/// \file communicator.hpp
/// The searches of a communicator, stored as its attribute.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "interpose/key.hpp"
#include "interpose/search.hpp"
#include "mpi/context.hpp"

namespace adcl::interpose {

/// Increases when a communicator is freed, because MPI may reuse its handle for another communicator.
inline constinit std::atomic<std::uint64_t> generation{1};

class Communicator {
 public:
  /// Returns the searches of \p comm; null if its calls are passed through. Local.
  static Communicator* of(MPI_Comm comm);
  explicit Communicator(MPI_Comm comm);
  /// Collective if there is a context.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// Returns the search for \p key; null if the communicator already has most_searches other searches. Local; all ranks
  /// make the same calls.
  Search* search(const Key& key);
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] Place place() const noexcept { return place_; }
  [[nodiscard]] bool eligible() const noexcept { return eligible_; }
  /// The context of a communicator with the same processes. Collective at the first call; throws the same error on all
  /// ranks.
  const std::shared_ptr<mpi::Context>& context();
  [[nodiscard]] bool has_context() const noexcept { return context_ != nullptr; }
  /// Whether the process may create another context. Ranks may differ.
  static bool has_room() noexcept;
  /// Results of the searches of all communicators that have not been freed.
  static std::vector<Summary> summaries();

 private:
  static constexpr std::size_t most_searches = 64;
  static constexpr int most_contexts = 64;

  MPI_Comm comm_;
  Place place_;
  bool eligible_ = false;
  std::shared_ptr<mpi::Context> context_;
  std::map<Key, Search*> by_key_;
  std::vector<std::unique_ptr<Search>> searches_;  ///< in the order of their first calls
};

}  // namespace adcl::interpose
