/// \file communicator.hpp
/// The searches of a communicator, stored as an attribute of the communicator.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interpose/key.hpp"
#include "interpose/search.hpp"
#include "mpi/context.hpp"

namespace adcl::interpose {

/// Increases when a communicator is freed. Handles that were looked up before may then belong to another communicator.
inline constinit std::atomic<std::uint64_t> generation{1};

class PersistentSet;

class Communicator {
 public:
  /// The searches of \p comm. Null if its calls are passed through. Local.
  static Communicator* of(MPI_Comm comm);
  explicit Communicator(MPI_Comm comm);
  /// Collective if there is a context.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// The search of a key. Local; all ranks make the same calls.
  Search* search(const Key& key);
  /// Frees requests that have not been used for long. Collective.
  void review();
  /// Whether the communicator has the maximum number of requests.
  [[nodiscard]] bool is_full() const;
  /// Frees a request that is used less than half as often as \p newcomer will use its request. Returns false if there
  /// is none. Collective.
  bool make_room(const Search& newcomer);
  /// A codelet of a class has failed: all sizes of the class keep the MPI library's call. Collective.
  void withdraw(SizeClass& family, const std::string& reason);
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] Place place() const noexcept { return place_; }
  [[nodiscard]] bool eligible() const noexcept { return eligible_; }
  /// The ranks have agreed that a filter excludes one of them: searches that are created later end at once.
  void deny() noexcept { denied_ = true; }
  [[nodiscard]] bool denied() const noexcept { return denied_; }
  /// The context of a communicator with the same processes. Collective at the first call; throws the same error on all
  /// ranks.
  const std::shared_ptr<mpi::Context>& context();
  /// The searches of its persistent requests; created at the first call.
  PersistentSet& persistent();
  /// Numbers of blocks that this rank sends and receives. Empty for a neighborhood if there is no topology. Local.
  [[nodiscard]] std::optional<BlockNumbers> blocks(const Key& key) const;
  [[nodiscard]] bool has_context() const noexcept { return context_ != nullptr; }
  /// Whether the process has fewer contexts than the maximum number divided by \p part. Ranks may differ.
  static bool has_room(int part) noexcept;
  /// Stores the results of all communicators that are not freed, and frees their MPI objects. Collective over
  /// MPI_COMM_WORLD.
  static void end_all();

 private:
  struct Entry {
    std::unique_ptr<Search> search;
    std::int64_t calls = 0;         ///< at the last review
    std::int64_t used_at = 0;       ///< calls() of the communicator at the last review that found more calls
    std::int64_t window_calls = 0;  ///< calls of the search at the beginning of the window
    [[nodiscard]] std::int64_t calls_in_window() const;
  };

  [[nodiscard]] std::int64_t calls() const;
  SizeClass& family_of(const Key& key);
  void begin_window();
  void drop_rare_searches();
  void end();

  static constexpr std::size_t most_searches = 1024;
  static constexpr std::ptrdiff_t most_requests = 96;  ///< fewer than the maximum of a process
  static constexpr int most_contexts = 64;

  MPI_Comm comm_;
  Place place_;
  bool eligible_ = false;
  bool denied_ = false;
  std::optional<BlockNumbers> neighbors_;  ///< of the topology
  std::shared_ptr<mpi::Context> context_;
  std::map<Key, std::unique_ptr<SizeClass>> classes_;  ///< by the key of the largest size
  std::map<Key, Search*> by_key_;
  std::unique_ptr<PersistentSet> persistent_;
  std::vector<Entry> searches_;  ///< in the order of their first calls
  std::int64_t window_ = 0;      ///< calls() at the beginning of the window in which searches are compared
};

}  // namespace adcl::interpose
