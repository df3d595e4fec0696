#include "mpi/node_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <random>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace adcl::mpi {
namespace {

std::atomic<std::size_t> held{0};
std::atomic<unsigned> made{0};

constexpr const char* anonymous_name = "adcl";

std::array<std::uint64_t, 2> random_key() {
  std::random_device random;
  const auto word = [&random] { return std::uint64_t{random()} << 32U | random(); };
  return {word(), word()};
}

/// Owns a file descriptor.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  [[nodiscard]] int get() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

/// In another container, the process number may belong to another process: open only a file with the expected name.
bool is_adcl_memory(const std::string& path) {
  std::array<char, 64> target{};
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size() - 1);
  return length > 0 && std::string(target.data()).find(std::string("memfd:") + anonymous_name) != std::string::npos;
}

int open_memory(const NodeMemoryHandle& handle, NodeMapping::Access access) {
  const int flags = (access == NodeMapping::Access::write ? O_RDWR : O_RDONLY) | O_CLOEXEC;
  if (handle.name[0] != '\0') {
    return ::shm_open(handle.name.data(), flags, 0);
  }
  const std::string path = text("/proc/", handle.process, "/fd/", handle.descriptor);
  if (!is_adcl_memory(path)) {
    errno = EACCES;
    return -1;
  }
  return ::open(path.c_str(), flags);
}

/// If a file grows beyond the process's limit, the call does not return an error: a signal ends the process.
bool may_grow_to(std::uint64_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

}  // namespace

NodeMapping::NodeMapping(int descriptor, std::size_t bytes, Access access) {
  const int protection = access == Access::write ? PROT_READ | PROT_WRITE : PROT_READ;
  void* address = ::mmap(nullptr, bytes, protection, MAP_SHARED, descriptor, 0);
  require(address != MAP_FAILED, Code::memory, "cannot map ", bytes, " bytes of shared memory: ", std::strerror(errno));
  memory_ = {static_cast<std::byte*>(address), Unmap{bytes}};
}

NodeMapping::NodeMapping(const NodeMemoryHandle& handle, Access access) {
  const File file(open_memory(handle, access));
  require(file.get() >= 0, Code::unsupported, "cannot open the shared memory of process ", handle.process, ": ",
          std::strerror(errno));
  struct stat status {};
  require(::fstat(file.get(), &status) == 0 && static_cast<std::uint64_t>(status.st_size) == handle.bytes,
          Code::unsupported, "the shared memory of process ", handle.process, " does not have the announced size");
  NodeMapping mapping(file.get(), static_cast<std::size_t>(handle.bytes), access);
  require(std::memcmp(mapping.begin(), handle.key.data(), sizeof handle.key) == 0, Code::unsupported,
          "the shared memory of process ", handle.process, " does not have the announced key");
  *this = std::move(mapping);
}

void NodeMapping::Unmap::operator()(std::byte* memory) const noexcept { ::munmap(memory, bytes); }

void NodeMapping::touch([[maybe_unused]] const std::byte* first, [[maybe_unused]] std::size_t bytes,
                        [[maybe_unused]] Access access) noexcept {
#ifdef MADV_POPULATE_READ
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t before = reinterpret_cast<std::uintptr_t>(first) % page;
  ::madvise(const_cast<std::byte*>(first) - before, bytes + before,
            access == Access::write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
#endif
}

NodeMemory::NodeMemory(std::size_t bytes, NodeMemoryKind kind, NodeMemoryUse use) : use_(use) {
  // Not getpid(): SMPI's replacement returns the number of a simulated process.
  handle_.process = static_cast<decltype(handle_.process)>(::syscall(SYS_getpid));
  handle_.bytes = bytes + NodeMapping::head_bytes;
  handle_.key = random_key();
  open(kind);
  try {
    reserve_file(use_ == NodeMemoryUse::pieces ? NodeMapping::head_bytes : handle_.bytes);
    mapping_ = NodeMapping(descriptor_, static_cast<std::size_t>(handle_.bytes), NodeMapping::Access::write);
    if (use_ == NodeMemoryUse::array) {
      NodeMapping::touch(mapping_.begin(), static_cast<std::size_t>(handle_.bytes), NodeMapping::Access::write);
    }
  } catch (...) {
    close();
    throw;
  }
  std::memcpy(mapping_.begin(), handle_.key.data(), sizeof handle_.key);
  held += use_ == NodeMemoryUse::messages ? static_cast<std::size_t>(handle_.bytes) : 0;
}

NodeMemory::~NodeMemory() {
  close();
  held -= use_ == NodeMemoryUse::messages ? static_cast<std::size_t>(handle_.bytes) : 0;
}

void NodeMemory::open(NodeMemoryKind kind) {
  if (kind == NodeMemoryKind::anonymous) {
#ifdef MFD_CLOEXEC
    descriptor_ = ::memfd_create(anonymous_name, MFD_CLOEXEC);
#else
    errno = ENOSYS;
#endif
  } else {
    const std::string name = text("/adcl.", handle_.process, ".", ++made, ".", handle_.key[0] % 1000000);
    name.copy(handle_.name.data(), handle_.name.size() - 1);
    descriptor_ = ::shm_open(handle_.name.data(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  }
  handle_.descriptor = descriptor_;
  require(descriptor_ >= 0, Code::unsupported, "cannot create shared memory: ", std::strerror(errno));
}

/// Gives the file its full size, and reserves space for the first \p bytes of it.
void NodeMemory::reserve_file(std::uint64_t bytes) {
  require(may_grow_to(handle_.bytes), Code::memory, "shared memory of ", handle_.bytes,
          " bytes exceeds the limit of file sizes (ulimit -f)");
  int code = EINTR;
  while (code == EINTR) {
    code = ::posix_fallocate(descriptor_, static_cast<off_t>(reserved_), static_cast<off_t>(bytes - reserved_));
  }
  require(code == 0, Code::memory, "cannot reserve ", bytes, " bytes of ",
          handle_.name[0] != '\0' ? "/dev/shm" : "shared memory", ": ", std::strerror(code));
  require(bytes == handle_.bytes || ::ftruncate(descriptor_, static_cast<off_t>(handle_.bytes)) == 0, Code::memory,
          "cannot create shared memory of ", handle_.bytes, " bytes: ", std::strerror(errno));
  reserved_ = bytes;
}

void NodeMemory::reserve(std::size_t bytes) {
  constexpr std::uint64_t at_once = 32768;
  const std::uint64_t wanted = (bytes + NodeMapping::head_bytes + at_once - 1) / at_once * at_once;
  const std::uint64_t whole = std::min(wanted, handle_.bytes);
  if (whole > reserved_) {
    reserve_file(whole);
  }
}

void NodeMemory::close() noexcept {
  if (descriptor_ >= 0) {
    ::close(std::exchange(descriptor_, -1));
    if (handle_.name[0] != '\0') {
      ::shm_unlink(handle_.name.data());
    }
  }
}

std::size_t NodeMemory::held_bytes() noexcept { return held.load(); }

void NodeMemory::hold(std::size_t bytes) noexcept { held += bytes; }

void NodeMemory::release(std::size_t bytes) noexcept { held -= bytes; }

}  // namespace adcl::mpi
