/// \file deferred.hpp
/// A history folder for programs that must not wait for a file system: new results stay in memory until flush(), and
/// reading is limited in time. Does not use MPI.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "history/store.hpp"

namespace adcl::history {

/// Thread-safe. Methods throw only bad_alloc.
class Deferred {
 public:
  explicit Deferred(std::string folder) : folder_(std::move(folder)) {}

  /// Returns the entry of exactly this problem, with the decisions of add(). See find() for a folder.
  Found find(const Identity& identity);
  /// Reads further files of the folder, at most 1000 in total, while \p in_time returns true. Returns the entries of
  /// the function set that are in memory.
  std::vector<EntryPtr> all_of(const std::string& function_set, const std::function<bool()>& in_time);
  /// See add() for a folder.
  void add(const Entry& entry, const std::string& mode, const Decision& decision, Outcome outcome);
  /// Writes the decisions of add() to the folder, like add_all(), and discards them.
  Stored flush(double lock_s, const std::function<bool()>& in_time);

  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
  /// Number of problems for which find() returned an entry of the folder.
  [[nodiscard]] int found() const;

 private:
  void read_more(const std::function<bool()>& in_time);

  std::string folder_;
  mutable std::mutex mutex_;
  std::map<std::string, EntryPtr> known_;     ///< by identity; null: the folder has no entry
  std::map<std::string, Additions> added_;    ///< by identity
  std::filesystem::directory_iterator next_;  ///< next file for all_of()
  bool opened_ = false;                       ///< next_ has been set
  int read_ = 0;                              ///< files that all_of() has read
  std::set<std::string> found_;               ///< identities
};

}  // namespace adcl::history
