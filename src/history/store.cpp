#include "history/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <utility>

#include "core/error.hpp"

namespace adcl::history {
namespace {

constexpr std::size_t longest_file = std::size_t{1} << 22U;  ///< bytes; what is longer is no entry

/// An open file, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] bool open() const noexcept { return number_ >= 0; }
  /// False: what was written may not have arrived.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

std::string reason_of(int error) { return std::generic_category().message(error); }

/// The content of a regular file; nothing when there is none. Throws Error(file). A FIFO would block, so nothing else
/// is opened.
std::optional<std::string> content_of(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.open()) {
    require(errno == ENOENT || errno == ENOTDIR, Code::file, "it cannot be opened: ", reason_of(errno));
    return std::nullopt;
  }
  struct stat status {};
  require(::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode), Code::file, "it is not a regular file");
  std::string content;
  std::array<char, 1U << 14U> part{};
  ssize_t size = 0;
  while ((size = ::read(file.number(), part.data(), part.size())) > 0) {
    content.append(part.data(), static_cast<std::size_t>(size));
    require(content.size() <= longest_file, Code::file, "it is longer than ", longest_file, " bytes");
  }
  require(size == 0, Code::file, "it cannot be read: ", reason_of(errno));
  return content;
}

void write_all(int file, const std::string& content) {
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t size = ::write(file, content.data() + done, content.size() - done);
    require(size >= 0 || errno == EINTR, Code::file, "it cannot be written: ", reason_of(errno));
    done += size > 0 ? static_cast<std::size_t>(size) : 0;
  }
}

/// The name that a replacement has until it is complete; no other process has the same one.
std::string name_for_now(const std::string& path) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return text(path, ".", host.data(), ".", ::getpid(), ".tmp");
}

/// \p content takes the place of \p path as a whole, and has reached the disk before it does. Throws Error(file), and
/// then nothing has changed.
void replace(const std::string& path, const std::string& content) {
  const std::string temporary = name_for_now(path);
  try {
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    require(file.open(), Code::file, "it cannot be written: ", reason_of(errno));
    write_all(file.number(), content);
    require(::fsync(file.number()) == 0, Code::file, "it cannot be written: ", reason_of(errno));
    require(file.close(), Code::file, "it cannot be written: ", reason_of(errno));
    require(::rename(temporary.c_str(), path.c_str()) == 0, Code::file, "it cannot be replaced: ", reason_of(errno));
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

/// Makes those who add to a folder wait for each other, until the end or a crash. Where the file system has no locks,
/// each replacement is still a whole one.
class Lock {
 public:
  explicit Lock(const std::string& folder)
      : file_(::open((folder + "/.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    require(file_.open(), Code::file, "the folder cannot be written to: ", reason_of(errno));
    for (int attempt = 0; ::flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && is_taken(errno); ++attempt) {
      require(attempt < attempts, Code::file, "another process is writing to the folder");
      ::usleep(microseconds);
    }
  }

 private:
  /// Any other error is that of a file system without locks.
  static bool is_taken(int error) { return error == EWOULDBLOCK || error == EINTR; }
  static constexpr int attempts = 250;
  static constexpr useconds_t microseconds = 2000;
  Descriptor file_;
};

/// What is in the file that is to be replaced. One that is no entry is moved aside. Throws Error(file) for an entry of
/// another schema, which stays.
std::optional<Entry> earlier(const std::string& path) {
  const auto content = content_of(path);
  if (!content.has_value()) {
    return std::nullopt;
  }
  try {
    return from_text(*content);
  } catch (const Error& error) {
    require(!std::string(error.what()).starts_with("its schema"), Code::file, error.what());
    require(::rename(path.c_str(), (path + ".broken").c_str()) == 0, Code::file, error.what());
    return std::nullopt;
  }
}

constexpr std::size_t most_files = 1000;  ///< that a folder is looked through for similar problems

/// What tells a file from the one that it replaced: each replacement is a file of its own.
using FileVersion = std::array<std::int64_t, 4>;

/// A file that was read.
struct Known {
  FileVersion version{};
  std::shared_ptr<const Entry> entry;  ///< null: it is none
};

FileVersion version_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return {-1, -1, -1, -1};
  }
  return {static_cast<std::int64_t>(status.st_ino), static_cast<std::int64_t>(status.st_size),
          static_cast<std::int64_t>(status.st_mtim.tv_sec), static_cast<std::int64_t>(status.st_mtim.tv_nsec)};
}

}  // namespace

std::string file_of(const std::string& folder, const Identity& identity) {
  return folder + "/" + identity.word() + ".json";
}

Found find(const std::string& folder, const Identity& identity) {
  const std::string path = file_of(folder, identity);
  try {
    const auto content = content_of(path);
    if (!content.has_value()) {
      return {};
    }
    Entry entry = from_text(*content);
    require(entry.identity.hash() == identity.hash() && entry.identity.candidates == identity.candidates, Code::file,
            "it is of another problem");
    return {std::move(entry), ""};
  } catch (const Error& error) {
    return {std::nullopt, text(path, " is ignored: ", error.what())};
  }
}

std::vector<std::shared_ptr<const Entry>> all_of(const std::string& folder, const std::string& function_set) {
  static std::mutex mutex;
  static std::map<std::string, Known> cache;
  std::vector<std::string> paths;
  std::error_code failure;
  for (std::filesystem::directory_iterator item(folder, failure), end; !failure && item != end;
       item.increment(failure)) {
    if (item->path().extension() == ".json") {
      paths.push_back(item->path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  paths.resize(std::min(paths.size(), most_files));
  std::vector<std::shared_ptr<const Entry>> found;
  const std::scoped_lock lock(mutex);
  for (const std::string& path : paths) {
    const auto version = version_of(path);
    Known& known = cache[path];
    if (known.version != version) {
      known = {version, nullptr};
      try {
        const auto content = content_of(path);
        known.entry = content.has_value() ? std::make_shared<const Entry>(from_text(*content)) : nullptr;
      } catch (const Error&) {
        continue;  // no entry, or one of another schema: nothing is known of it
      }
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
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    require(!failure, Code::file, "the folder cannot be made: ", failure.message());
    const Lock lock(folder);
    Entry merged = entry;
    merged.decisions.clear();
    if (auto known = earlier(path)) {
      merged.decisions = std::move(known->decisions);
    }
    note(merged, mode, decision, outcome);
    replace(path, to_text(merged));
    return "";
  } catch (const Error& error) {
    return text(path, " is not stored: ", error.what());
  }
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

}  // namespace adcl::history
