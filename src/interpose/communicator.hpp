/// \file communicator.hpp
/// The searches of a communicator, as an attribute of it.
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

/// Increases when a communicator is freed. Handles that were looked up before may then belong to another communicator.
inline constinit std::atomic<std::uint64_t> generation{1};

class Communicator {
 public:
  /// The searches of \p comm. Null if its calls are passed through. Local.
  static Communicator* of(MPI_Comm comm);
  explicit Communicator(MPI_Comm comm);
  /// Collective if there is a context.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// The search of a key. Null if the communicator has most_searches others. Local; all ranks make the same calls.
  Search* search(const Key& key);
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] Place place() const noexcept { return place_; }
  [[nodiscard]] bool eligible() const noexcept { return eligible_; }
  /// The context of a communicator with the same processes. Collective at the first call; throws the same error on all
  /// ranks.
  const std::shared_ptr<mpi::Context>& context();
  [[nodiscard]] bool has_context() const noexcept { return context_ != nullptr; }
  /// Whether the process has room for another context. Ranks may differ.
  static bool has_room() noexcept;
  /// Stores the results of all communicators that are not freed, and frees what MPI objects they own. Collective over
  /// MPI_COMM_WORLD.
  static void end_all();

 private:
  void end();

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
