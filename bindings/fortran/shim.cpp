#include "shim.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace adcl::fortran {
namespace {

// Fixed size: remembering a failure must not fail for want of memory.
thread_local char own_message[1024] = "";
thread_local char library_message_then[1024] = "";

void copy(char (&destination)[1024], const char* source) noexcept {
  std::snprintf(destination, sizeof destination, "%s", source);
}

template <typename Object>
Object or_null(Object converted, Object null) noexcept {
  if constexpr (std::is_pointer_v<Object>) {
    return converted == nullptr ? null : converted;
  } else {
    return converted;
  }
}

std::string without_trailing_blanks(const void* characters, std::size_t length) {
  const auto* begin = static_cast<const char*>(characters);
  while (length > 0 && begin[length - 1] == ' ') {
    --length;
  }
  return {begin, length};
}

}  // namespace

int fail(int code, const char* message) noexcept {
  copy(own_message, message);
  copy(library_message_then, ADCL_Last_error());
  return code;
}

int library_result(int code) noexcept {
  if (code != ADCL_SUCCESS) {
    own_message[0] = '\0';
  }
  return code;
}

const char* last_error() noexcept {
  const char* library_message = ADCL_Last_error();
  const bool library_failed_since =
      std::strncmp(library_message, library_message_then, sizeof library_message_then - 1) != 0;
  return own_message[0] == '\0' || library_failed_since ? library_message : own_message;
}

MPI_Comm communicator(const MPI_Fint* comm) noexcept { return or_null(MPI_Comm_f2c(*comm), MPI_COMM_NULL); }

MPI_Datatype datatype(const MPI_Fint* type) noexcept { return or_null(MPI_Type_f2c(*type), MPI_DATATYPE_NULL); }

std::string trimmed(const CFI_cdesc_t* text) { return without_trailing_blanks(text->base_addr, text->elem_len); }

std::vector<std::string> trimmed_entries(const CFI_cdesc_t* texts, int count, const char* name) {
  std::vector<std::string> entries;
  for (const void* entry : elements(texts, count, name)) {
    entries.push_back(without_trailing_blanks(entry, texts->elem_len));
  }
  return entries;
}

std::ptrdiff_t element_count(const CFI_cdesc_t* array) noexcept {
  std::ptrdiff_t count = 1;
  for (int d = 0; d < array->rank; ++d) {
    if (array->dim[d].extent < 0) {
      return -1;
    }
    count *= array->dim[d].extent;
  }
  return count;
}

std::vector<void*> elements(const CFI_cdesc_t* array, int count, const char* name) {
  const auto wanted = static_cast<std::ptrdiff_t>(std::max(count, 0));
  const std::ptrdiff_t present = element_count(array);
  if (present >= 0 && present < wanted) {
    throw Error(ADCL_ERR_ARGUMENT, std::string(name) + " has " + std::to_string(present) + " elements where " +
                                       std::to_string(wanted) + " are needed; pass a longer array or a smaller count");
  }
  std::vector<void*> addresses;
  addresses.reserve(static_cast<std::size_t>(wanted));
  std::vector<CFI_index_t> index(static_cast<std::size_t>(array->rank), 0);
  for (std::ptrdiff_t i = 0; i < wanted; ++i) {
    auto* element = static_cast<char*>(array->base_addr);
    for (std::size_t d = 0; d < index.size(); ++d) {
      element += index[d] * array->dim[d].sm;
    }
    addresses.push_back(element);
    // The last dimension of an assumed-size array has no extent and is never wrapped.
    for (std::size_t d = 0; d < index.size(); ++d) {
      if (++index[d] < array->dim[d].extent || d + 1 == index.size()) {
        break;
      }
      index[d] = 0;
    }
  }
  return addresses;
}

void* address(const CFI_cdesc_t* data, const char* name) {
  if (data->base_addr == nullptr) {
    throw Error(ADCL_ERR_ARGUMENT, std::string(name) + " is not allocated; allocate it first");
  }
  if (data->rank > 0 && CFI_is_contiguous(data) == 0) {
    throw Error(ADCL_ERR_ARGUMENT, std::string(name) + " is an array section whose elements do not follow each other " +
                                       "in memory; pass the whole array, or a contiguous copy that stays alive");
  }
  return data->base_addr;
}

void require_room(const CFI_cdesc_t* data, const char* name, const std::vector<int>& dims, int nc, MPI_Datatype type) {
  const std::ptrdiff_t present = data->rank == 0 ? -1 : element_count(data);
  // One element: the declaration x(1) of old programs, which stands for an array of any length.
  if (present < 0 || present == 1) {
    return;
  }
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_lower_bound = 0;
  MPI_Aint true_extent = 0;
  MPI_Type_get_extent(type, &lower_bound, &extent);
  MPI_Type_get_true_extent(type, &true_lower_bound, &true_extent);
  double elements = std::max(nc, 1);
  for (const int length : dims) {
    elements *= length;
  }
  // In floating point, because a mistaken extent may exceed every integer; exact wherever arrays fit into memory.
  const double needed =
      (elements - 1) * static_cast<double>(extent) + static_cast<double>(true_lower_bound + true_extent);
  const double available = static_cast<double>(present) * static_cast<double>(data->elem_len);
  if (available < needed) {
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, " has %.0f bytes, but dims, nc and type describe %.0f bytes; ", available,
                  needed);
    throw Error(ADCL_ERR_ARGUMENT, std::string(name) + numbers + "dims include the halo layers and exclude nc");
  }
}

}  // namespace adcl::fortran
