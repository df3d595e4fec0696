#include "mpi/array_memory.hpp"

#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "core/error.hpp"

namespace adcl::mpi {
namespace {

constexpr std::size_t alignment = 64;

/// The arrays of this process. Never destroyed, because arrays may outlive static objects.
struct Arrays {
  std::mutex mutex;
  std::map<std::uintptr_t, std::weak_ptr<const ArrayMemory>> own;  ///< arrays by address
  std::size_t descriptors = 0;                                     ///< open descriptors, one per shared array
};

Arrays& arrays() {
  static auto* const all = new Arrays;
  return *all;
}

/// Maximum number of shared arrays. Each keeps a file open; the application needs most of the descriptors.
std::size_t descriptor_limit() {
  constexpr rlim_t part = 4;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return SIZE_MAX;
  }
  return static_cast<std::size_t>(limit.rlim_cur / part);
}

}  // namespace

void ArrayMemory::Free::operator()(std::byte* memory) const noexcept { std::free(memory); }

std::shared_ptr<ArrayMemory> ArrayMemory::make(std::size_t bytes, Sharing sharing) {
  std::shared_ptr<ArrayMemory> memory(new ArrayMemory(bytes, sharing));
  const std::scoped_lock lock(arrays().mutex);
  arrays().own[reinterpret_cast<std::uintptr_t>(memory->data())] = memory;
  return memory;
}

std::shared_ptr<const ArrayMemory> ArrayMemory::containing(const void* address, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  std::shared_ptr<const ArrayMemory> candidate;  // may be the last owner: released after the lock
  const std::scoped_lock lock(arrays().mutex);
  auto next = arrays().own.upper_bound(begin);
  if (next == arrays().own.begin()) {
    return nullptr;
  }
  const auto& [start, memory] = *--next;
  candidate = memory.lock();
  const bool inside = candidate != nullptr && begin - start <= candidate->bytes_ && bytes <= candidate->bytes_ &&
                      begin - start <= candidate->bytes_ - bytes;
  return inside ? candidate : nullptr;
}

ArrayMemory::ArrayMemory(std::size_t bytes, Sharing sharing) : bytes_((bytes + alignment - 1) / alignment * alignment) {
  // Allocate private memory first: if memory is scarce, the system returns an error here instead of killing processes
  // later.
  own_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, bytes_)));
  require(own_ != nullptr, Code::memory, "an array of ", bytes_, " bytes could not be allocated");
  if (sharing == Sharing::wanted) {
    try {
      share();
    } catch (const Error& error) {
      private_because_ = error.what();
    }
  } else {
    private_because_ = "ADCL_VECTOR_MEMORY is private";
  }
  if (shared_ == nullptr) {
    std::memset(own_.get(), 0, bytes_);
  }
  data_ = shared_ != nullptr ? shared_->data() : own_.get();
}

void ArrayMemory::share() {
  const std::scoped_lock lock(arrays().mutex);
  require(arrays().descriptors < descriptor_limit(), Code::unsupported, arrays().descriptors,
          " shared arrays already use a quarter of the files that this process can open (ulimit -n)");
  shared_ = std::make_unique<NodeMemory>(bytes_, NodeMemoryKind::anonymous, NodeMemoryUse::array);
  ++arrays().descriptors;
  own_.reset();
}

ArrayMemory::~ArrayMemory() {
  const std::scoped_lock lock(arrays().mutex);
  arrays().own.erase(reinterpret_cast<std::uintptr_t>(data_));
  arrays().descriptors -= shared_ != nullptr ? 1 : 0;
}

}  // namespace adcl::mpi
