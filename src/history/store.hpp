/// \file store.hpp
/// A folder of what was learnt, one file per problem. Many processes of many jobs use it at once: a file is replaced as
/// a whole, and what two of them add to the same file is merged under a lock. No MPI.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "history/entry.hpp"

namespace adcl::history {

/// What was found, and what is to be said about it.
struct Found {
  std::optional<Entry> entry;
  std::string trouble;  ///< why a file that is there was left alone; empty: nothing to say
};

/// The file of \p identity in \p folder.
std::string file_of(const std::string& folder, const Identity& identity);

/// What \p folder has of exactly this problem. Throws nothing for a folder or file that cannot be read.
Found find(const std::string& folder, const Identity& identity);

/// All that \p folder has of a function set, in the order of the files' names; of a folder with more than 1000 files,
/// those of the first thousand. What cannot be read, or is of another schema, is left out. A file that has not changed
/// is read once. Throws nothing for a folder that cannot be read.
std::vector<std::shared_ptr<const Entry>> all_of(const std::string& folder, const std::string& function_set);

/// Adds \p decision for \p mode to the file of \p entry, of which only what describes the problem is used. The folder
/// is made where it is missing. At every moment, and after a crash, the file is the old or the new one as a whole. A
/// file that is no entry is moved aside, to the same name with ".broken" at the end; one of another schema stays.
///
/// Returns what went wrong, as a sentence that names the file; empty: it is stored. Throws nothing else but bad_alloc.
/// Waits at most half a second for another process that writes to the folder.
std::string add(const std::string& folder, const Entry& entry, const std::string& mode, const Decision& decision,
                Outcome outcome);

/// The processor of this machine, as its maker calls it.
const std::string& processor();

/// Now, as Decision::decided has it.
std::string now_utc();

}  // namespace adcl::history
