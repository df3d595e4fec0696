#include "shim.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

// Fortran procedures that pass their MPI_IN_PLACE to adcl_f_note_in_place.
extern "C" void adcl_f08_note_in_place();
extern "C" void adcl_inc_note_in_place();

namespace {

/// MPI_IN_PLACE of module mpi_f08, and of mpif.h and module mpi.
std::array<const void*, 2> in_place_addresses{};

}  // namespace

ADCL_F_API void adcl_f_note_in_place(const int* which, const CFI_cdesc_t* in_place) {
  in_place_addresses.at(static_cast<std::size_t>(*which)) = in_place->base_addr;
}

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

bool is_in_place(const void* address) {
  static const bool noted = [] {
    adcl_f08_note_in_place();
    adcl_inc_note_in_place();
    return true;
  }();
  return noted && address != nullptr && (address == in_place_addresses[0] || address == in_place_addresses[1]);
}

}  // namespace

MPI_Comm communicator(const MPI_Fint* comm) noexcept { return or_null(MPI_Comm_f2c(*comm), MPI_COMM_NULL); }

MPI_Datatype datatype(const MPI_Fint* type) noexcept { return or_null(MPI_Type_f2c(*type), MPI_DATATYPE_NULL); }

std::string trimmed(const void* characters, std::size_t length) {
  const auto* begin = static_cast<const char*>(characters);
  while (length > 0 && begin[length - 1] == ' ') {
    --length;
  }
  return {begin, length};
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

std::vector<void*> elements(const CFI_cdesc_t* array, int count, const std::string& name) {
  const auto wanted = static_cast<std::ptrdiff_t>(std::max(count, 0));
  if (array == nullptr || wanted == 0) {
    return {};
  }
  const std::ptrdiff_t present = element_count(array);
  if (present >= 0 && present < wanted) {
    throw Error(ADCL_ERR_ARGUMENT, name + " has " + std::to_string(present) + " elements where " +
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

void* address(const CFI_cdesc_t* data, const std::string& name) {
  if (data->base_addr == nullptr) {
    throw Error(ADCL_ERR_ARGUMENT, name + " is not allocated; allocate it first");
  }
  if (data->rank > 0 && CFI_is_contiguous(data) == 0) {
    throw Error(ADCL_ERR_ARGUMENT, name + " is an array section whose elements do not follow each other in memory; " +
                                       "pass the whole array, or a contiguous copy that stays alive");
  }
  return data->base_addr;
}

void* message_address(const CFI_cdesc_t* data, const std::string& name) {
  if (is_in_place(data->base_addr)) {
    return MPI_IN_PLACE;
  }
  return data->base_addr == nullptr ? nullptr : address(data, name);
}

}  // namespace adcl::fortran
