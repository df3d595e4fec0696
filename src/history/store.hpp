/// \file store.hpp
/// Stores entries of the history in a folder, or in memory until the run ends. Does not use MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "history/entry.hpp"

namespace adcl::history {

using EntryPtr = std::shared_ptr<const Entry>;

/// Result of find().
struct Found {
  std::optional<Entry> entry;
  std::string trouble;  ///< file name and reason if the file cannot be used; empty: it was read, or does not exist
};

// A folder has one file per problem. Many processes of several jobs may use it at once: each locks the folder, merges
// its decision into the file, and replaces the file atomically.

/// The path of the entry of \p identity in \p folder.
std::string file_of(const std::string& folder, const Identity& identity);

/// Returns the entry of exactly this problem. Does not throw if the folder or file cannot be read.
Found find(const std::string& folder, const Identity& identity);

/// Returns all entries of a function set among the first 1000 files, in the order of their names. Ignores files that
/// cannot be read or have another schema. Caches unchanged files. Does not throw if the folder cannot be read.
std::vector<EntryPtr> all_of(const std::string& folder, const std::string& function_set);

/// Adds \p decision for \p mode to the file of \p entry, whose own decisions are ignored. Creates a missing folder.
/// Replaces the file atomically, so that it is complete even after a crash. Appends ".broken" to the name of a file
/// that is not an entry. Keeps a file of another schema, and returns an error.
///
/// Returns the file name and the error; empty: the decision is stored. Throws only bad_alloc. Waits at most half a
/// second for another process that writes to the folder.
std::string add(const std::string& folder, const Entry& entry, const std::string& mode, const Decision& decision,
                Outcome outcome);

/// A decision that is stored later.
struct Addition {
  std::string mode;
  Decision decision;
  Outcome outcome = Outcome::decided;
};

/// Decisions for one problem. The decisions of `entry` are ignored.
struct Additions {
  Entry entry;
  std::vector<Addition> decisions;  ///< in the order in which they were made
};

/// Result of add_all().
struct Stored {
  int problems = 0;     ///< number of problems whose file was replaced
  std::string trouble;  ///< why the first problem that is missing could not be stored; empty if all were stored
};

/// Like add() for several problems, but locks the folder once and does not wait until the disk has the data: a file may
/// be empty after a crash of the system, and is then ignored. Stops when \p in_time returns false. Waits at most \p
/// lock_s seconds for another process that writes to the folder. Throws only bad_alloc.
Stored add_all(const std::string& folder, std::span<const Additions> all, double lock_s,
               const std::function<bool()>& in_time);

/// Returns the entry in the file \p path; null if the file does not exist, cannot be read, or is not an entry.
EntryPtr read_entry(const std::string& path);

/// Paths of the JSON files of \p folder, sorted, at most 1000. Empty if the folder cannot be read.
std::vector<std::string> files_in(const std::string& folder);

/// The model name of this machine's processor.
const std::string& processor();

/// The current time in the format of Decision::decided.
std::string now_utc();

/// The store of ADCL_HISTORY=memory. All ranks hold the same entries, because they consist of agreed numbers.
/// \p settings is the hash of the options that may change a decision.
class Memory {
 public:
  static constexpr std::size_t capacity = 32;  ///< number of entries; a further entry replaces the oldest entry

  /// Returns the entry of exactly this problem.
  [[nodiscard]] std::optional<Entry> find(const Identity& identity, std::uint64_t settings) const;
  /// Returns all entries of a function set, the oldest first.
  [[nodiscard]] std::vector<EntryPtr> all_of(const std::string& function_set, std::uint64_t settings) const;
  /// See add() for a folder.
  void add(const Entry& entry, std::uint64_t settings, const std::string& mode, const Decision& decision,
           Outcome outcome);

 private:
  struct Known {
    std::pair<std::uint64_t, std::uint64_t> key;  ///< hash of the identity; settings
    EntryPtr entry;
  };
  std::list<Known> known_;  ///< the oldest first
};

}  // namespace adcl::history
