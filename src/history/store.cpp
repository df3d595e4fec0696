#include "history/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "core/error.hpp"

namespace adcl::history {
namespace {

namespace fs = std::filesystem;

constexpr std::streamoff longest_file = std::streamoff{1} << 22U;  ///< bytes; a longer file is not an entry
constexpr std::size_t most_files = 1000;                           ///< maximum number of files that all_of() reads
constexpr double usual_lock_s = 0.5;  ///< longest wait for another process that writes to the folder

std::string reason_of(int error) { return std::generic_category().message(error); }

/// Returns the content of a regular file; nullopt if it does not exist. Throws Error(file). Refuses other files, such
/// as FIFOs, because opening them may block.
std::optional<std::string> content_of(const std::string& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (status.type() == fs::file_type::not_found) {
    return std::nullopt;
  }
  require(status.type() != fs::file_type::none, Code::file, "cannot open the file: ", failure.message());
  require(fs::is_regular_file(status), Code::file, "not a regular file");
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  require(file.is_open(), Code::file, "cannot open the file: ", reason_of(errno));
  const std::streamoff size = file.tellg();  // constant: other processes replace the file, but never modify it
  require(size <= longest_file, Code::file, "the file is longer than ", longest_file, " bytes");
  std::string content(static_cast<std::size_t>(std::max<std::streamoff>(size, 0)), '\0');
  require(file.seekg(0).read(content.data(), size).good(), Code::file, "cannot read the file: ", reason_of(errno));
  return content;
}

/// The entry in the file \p path; nullopt if the file does not exist. Throws Error(file).
std::optional<Entry> entry_in(const std::string& path) {
  const auto content = content_of(path);
  return content.has_value() ? std::optional(from_text(*content)) : std::nullopt;
}

struct Close {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

enum class Sync { wait, no };

/// Atomically replaces the file \p path with \p content, with Sync::wait after writing the content to the disk. Throws
/// Error(file) and keeps the old file if that fails.
void replace(const std::string& path, const std::string& content, Sync sync) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string temporary = text(path, ".", host.data(), ".", ::getpid(), ".tmp");  // unique to this process
  const auto check = [](bool done, const char* what) {
    require(done, Code::file, "cannot ", what, " the file: ", reason_of(errno));
  };
  try {
    const std::unique_ptr<std::FILE, Close> file(std::fopen(temporary.c_str(), "wbe"));
    check(file != nullptr, "write");
    check(std::fwrite(content.data(), 1, content.size(), file.get()) == content.size(), "write");
    check(std::fflush(file.get()) == 0 && (sync == Sync::no || ::fsync(::fileno(file.get())) == 0), "write");
    check(std::rename(temporary.c_str(), path.c_str()) == 0, "replace");
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

/// Locks a folder for writing; a crash releases the lock. Does nothing on a file system without locks, where each
/// replacement is still atomic.
class Lock {
 public:
  /// Creates the folder if it is missing. Waits at most \p longest_s seconds. Throws Error(file).
  Lock(const std::string& folder, double longest_s) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    require(!failure, Code::file, "cannot create the folder: ", failure.message());
    file_ = ::open((folder + "/.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    require(file_ >= 0, Code::file, "cannot write to the folder: ", reason_of(errno));
    for (double waited_s = 0.0; ::flock(file_, LOCK_EX | LOCK_NB) != 0 && is_taken(errno); waited_s += pause_s) {
      if (waited_s >= longest_s) {
        ::close(file_);
        throw Error(Code::file, "another process is writing to the folder");
      }
      ::usleep(static_cast<useconds_t>(pause_s * 1e6));
    }
  }
  ~Lock() { ::close(file_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  /// Any other error means a file system without locks.
  static bool is_taken(int error) { return error == EWOULDBLOCK || error == EINTR; }
  static constexpr double pause_s = 0.002;
  int file_ = -1;
};

/// Returns the entry in the file that will be replaced. Renames a file that is not an entry. Throws Error(file) for an
/// entry of another schema, which must not be replaced.
std::optional<Entry> read_replaced(const std::string& path) {
  const auto content = content_of(path);
  if (!content.has_value()) {
    return std::nullopt;
  }
  try {
    return from_text(*content);
  } catch (const Error& error) {
    require(!std::string(error.what()).starts_with("the schema"), Code::file, error.what());
    require(std::rename(path.c_str(), (path + ".broken").c_str()) == 0, Code::file, error.what());
    return std::nullopt;
  }
}

/// Adds decisions to the file of their problem. Throws Error(file).
void store(const std::string& path, const Additions& additions, Sync sync) {
  auto known = read_replaced(path);
  Entry merged = additions.entry;
  merged.decisions = known.has_value() ? std::move(known->decisions) : std::map<std::string, Decision>{};
  for (const Addition& added : additions.decisions) {
    add_decision(merged, added.mode, added.decision, added.outcome);
  }
  replace(path, to_text(merged), sync);
}

std::string not_stored(const std::string& path, const Error& error) {
  return text(path, " is not stored: ", error.what());
}

/// Inode, size, and modification time: each replacement of a file has another inode.
using FileVersion = std::array<std::int64_t, 4>;

FileVersion version_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return {-1, -1, -1, -1};
  }
  return {static_cast<std::int64_t>(status.st_ino), static_cast<std::int64_t>(status.st_size),
          static_cast<std::int64_t>(status.st_mtim.tv_sec), static_cast<std::int64_t>(status.st_mtim.tv_nsec)};
}

}  // namespace

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code failure;
  for (fs::directory_iterator item(folder, failure), end; !failure && item != end; item.increment(failure)) {
    if (item->path().extension() == ".json") {
      paths.push_back(item->path().string());
    }
  }
  std::ranges::sort(paths);
  paths.resize(std::min(paths.size(), most_files));
  return paths;
}

EntryPtr read_entry(const std::string& path) {
  try {
    auto entry = entry_in(path);
    return entry.has_value() ? std::make_shared<const Entry>(*std::move(entry)) : nullptr;
  } catch (const Error&) {
    return nullptr;
  }
}

std::string file_of(const std::string& folder, const Identity& identity) {
  return folder + "/" + identity.word() + ".json";
}

Found find(const std::string& folder, const Identity& identity) {
  const std::string path = file_of(folder, identity);
  try {
    auto entry = entry_in(path);
    require(!entry || (entry->identity.hash() == identity.hash() && entry->identity.candidates == identity.candidates),
            Code::file, "the file contains the results of another problem");
    return {std::move(entry), ""};
  } catch (const Error& error) {
    return {std::nullopt, text(path, " is ignored: ", error.what())};
  }
}

std::vector<EntryPtr> all_of(const std::string& folder, const std::string& function_set) {
  struct Known {
    FileVersion version{};
    EntryPtr entry;  ///< null: the file is not an entry, or has another schema
  };
  static std::mutex mutex;
  static std::map<std::string, Known> cache;
  std::vector<EntryPtr> found;
  const auto paths = files_in(folder);
  const std::scoped_lock lock(mutex);
  for (const std::string& path : paths) {
    Known& known = cache[path];
    if (const auto version = version_of(path); known.version != version) {
      known = {version, read_entry(path)};
    }
    if (known.entry != nullptr && known.entry->identity.function_set == function_set) {
      found.push_back(known.entry);
    }
  }
  return found;
}

std::string add(const std::string& folder, const Entry& entry, const std::string& mode, const Decision& decision,
                Outcome outcome) {
  const std::string path = file_of(folder, entry.identity);
  try {
    const Lock lock(folder, usual_lock_s);
    store(path, {entry, {{mode, decision, outcome}}}, Sync::wait);
    return "";
  } catch (const Error& error) {
    return not_stored(path, error);
  }
}

Stored add_all(const std::string& folder, std::span<const Additions> all, double lock_s,
               const std::function<bool()>& in_time) {
  Stored stored;
  std::string path = folder;
  try {
    const Lock lock(folder, lock_s);
    for (const Additions& one : all) {
      path = file_of(folder, one.entry.identity);
      require(in_time(), Code::file, "the time limit for writing to the folder is exceeded");
      store(path, one, Sync::no);
      ++stored.problems;
    }
  } catch (const Error& error) {
    stored.trouble = not_stored(path, error);
  }
  return stored;
}

const std::string& processor() {
  static const std::string name = [] {
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
      const auto colon = line.find(": ");
      if (line.starts_with("model name") && colon != std::string::npos) {
        return line.substr(colon + 2);
      }
    }
    utsname machine{};
    return ::uname(&machine) == 0 ? std::string(machine.machine) : std::string();
  }();
  return name;
}

std::string now_utc() {
  const auto seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> when{};
  return {when.data(), std::strftime(when.data(), when.size(), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

std::optional<Entry> Memory::find(const Identity& identity, std::uint64_t settings) const {
  const auto known = std::ranges::find(known_, std::pair(identity.hash(), settings), &Known::key);
  return known != known_.end() ? std::optional<Entry>(*known->entry) : std::nullopt;
}

std::vector<EntryPtr> Memory::all_of(const std::string& function_set, std::uint64_t settings) const {
  std::vector<EntryPtr> found;
  for (const Known& known : known_) {
    if (known.key.second == settings && known.entry->identity.function_set == function_set) {
      found.push_back(known.entry);
    }
  }
  return found;
}

void Memory::add(const Entry& entry, std::uint64_t settings, const std::string& mode, const Decision& decision,
                 Outcome outcome) {
  const std::pair key(entry.identity.hash(), settings);
  Entry merged{entry.identity, entry.problem, entry.features, {}};
  if (const auto known = std::ranges::find(known_, key, &Known::key); known != known_.end()) {
    merged.decisions = known->entry->decisions;
    known_.erase(known);
  }
  add_decision(merged, mode, decision, outcome);
  known_.push_back({key, std::make_shared<const Entry>(std::move(merged))});
  if (known_.size() > capacity) {
    known_.pop_front();
  }
}

}  // namespace adcl::history
