/// \file store.hpp
/// Where the history stores entries: in a folder, or in memory for the rest of the run. No MPI.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "history/entry.hpp"

namespace adcl::history {

using EntryPointer = std::shared_ptr<const Entry>;

/// The entry of a problem, or why its file is ignored.
struct Found {
  std::optional<Entry> entry;
  std::string trouble;  ///< why the file could not be read, with its name; empty: it was read, or there is none
};

// A folder has one file per problem. Many processes of many jobs use it at once: each replaces whole files, and merges
// its decisions into a file under a lock.

/// The file of \p identity in \p folder.
std::string file_of(const std::string& folder, const Identity& identity);

/// The entry of exactly this problem. Throws nothing for a folder or file that cannot be read.
Found find(const std::string& folder, const Identity& identity);

/// All entries of a function set among the first 1000 files, in the order of their names. Ignores files that cannot be
/// read or have another schema. Reads an unchanged file once. Throws nothing for a folder that cannot be read.
std::vector<EntryPointer> all_of(const std::string& folder, const std::string& function_set);

/// Adds \p decision for \p mode to the file of \p entry, whose own decisions are ignored. Creates a missing folder. At
/// every moment, and after a crash, the file is complete: the old one or the new one. Renames a file that is not an
/// entry to the same name with ".broken" at the end; keeps one of another schema.
///
/// Returns a sentence that names the file and the error; empty: the decision is stored. Throws only bad_alloc. Waits at
/// most half a second for another process that writes to the folder.
std::string add(const std::string& folder, const Entry& entry, const std::string& mode, const Decision& decision,
                Outcome outcome);

/// The model name of this machine's processor.
const std::string& processor();

/// The current time in the format of Decision::decided.
std::string now_utc();

/// ADCL_HISTORY=memory. All ranks hold the same entries, since these consist of agreed numbers: nothing is broadcast.
/// \p settings identifies the options that may change a decision.
class Memory {
 public:
  static constexpr std::size_t capacity = 32;  ///< entries; adding another one removes the least recently added

  /// The entry of exactly this problem.
  [[nodiscard]] std::optional<Entry> find(const Identity& identity, std::uint64_t settings) const;
  /// All entries of a function set, the oldest first.
  [[nodiscard]] std::vector<EntryPointer> all_of(const std::string& function_set, std::uint64_t settings) const;
  /// As add() for a folder.
  void add(const Entry& entry, std::uint64_t settings, const std::string& mode, const Decision& decision,
           Outcome outcome);

 private:
  struct Known {
    std::pair<std::uint64_t, std::uint64_t> key;  ///< hash of its identity; settings
    EntryPointer entry;
  };
  std::list<Known> known_;  ///< the oldest first
};

}  // namespace adcl::history
