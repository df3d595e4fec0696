#include "shim.hpp"

#include <algorithm>
#include <cstdio>
#include <type_traits>

namespace adcl::fortran {
namespace {

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

/// "2 x 3 x 4"
std::string joined(const std::vector<std::ptrdiff_t>& extents) {
  std::string text;
  for (const std::ptrdiff_t extent : extents) {
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  }
  return text;
}

bool fits(const std::vector<std::ptrdiff_t>& has, const std::vector<std::ptrdiff_t>& wanted) {
  return std::equal(has.begin(), has.end() - 1, wanted.begin()) && has.back() >= wanted.back();
}

}  // namespace

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

Layout::Layout(const std::vector<int>& dims, int nc, int order, MPI_Datatype type) : shape(dims.begin(), dims.end()) {
  if (order == ADCL_ORDER_C) {
    std::reverse(shape.begin(), shape.end());
  }
  if (nc > 0) {
    shape.insert(shape.begin(), nc);
  }
  MPI_Aint lower_bound = 0;
  MPI_Aint true_lower_bound = 0;
  MPI_Aint true_extent = 0;
  MPI_Type_get_extent(type, &lower_bound, &element_bytes);
  MPI_Type_get_true_extent(type, &true_lower_bound, &true_extent);
  double elements = 1.0;
  for (const std::ptrdiff_t length : shape) {
    elements *= static_cast<double>(length);
  }
  bytes = (elements - 1) * static_cast<double>(element_bytes) + static_cast<double>(true_lower_bound + true_extent);
}

void require_room(const CFI_cdesc_t* data, const char* name, const Layout& layout) {
  const std::ptrdiff_t present = data->rank == 0 ? -1 : element_count(data);
  // One element: the declaration x(1) of old programs, which stands for an array of any length.
  if (present < 0 || present == 1) {
    return;
  }
  const double available = static_cast<double>(present) * static_cast<double>(data->elem_len);
  if (available < layout.bytes) {
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, " has %.0f bytes, but dims, nc and type describe %.0f bytes; ", available,
                  layout.bytes);
    throw Error(ADCL_ERR_ARGUMENT, std::string(name) + numbers + "dims include the halo layers and exclude nc");
  }
  std::vector<std::ptrdiff_t> shape;
  for (int d = 0; d < data->rank; ++d) {
    shape.push_back(data->dim[d].extent);
  }
  const bool comparable =
      shape.size() == layout.shape.size() && static_cast<MPI_Aint>(data->elem_len) == layout.element_bytes;
  if (comparable && !fits(shape, layout.shape)) {
    throw Error(ADCL_ERR_ARGUMENT, std::string(name) + " has the shape " + joined(shape) + ", but dims and nc say " +
                                       joined(layout.shape) +
                                       "; pass shape(array) as dims, without the extent that is nc");
  }
}

}  // namespace adcl::fortran
