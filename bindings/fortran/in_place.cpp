#include "in_place.hpp"

#include <array>
#include <cstdlib>

namespace {

/// Of MPI_IN_PLACE in module mpi_f08, and in mpif.h and module mpi.
std::array<const void*, 2> addresses{};

}  // namespace

// Written in Fortran, where the names are known: each hands its MPI_IN_PLACE to adcl_f_note_in_place.
extern "C" void adcl_f08_note_in_place();
extern "C" void adcl_inc_note_in_place();

ADCL_F_API void adcl_f_note_in_place(const int* which, const CFI_cdesc_t* in_place) {
  addresses.at(static_cast<std::size_t>(*which)) = in_place->base_addr;
}

namespace adcl::fortran {

void* buffer(const CFI_cdesc_t* data, const char* name) {
  static const bool noted = [] {
    adcl_f08_note_in_place();
    adcl_inc_note_in_place();
    return true;
  }();
  if (noted && data->base_addr != nullptr && (data->base_addr == addresses[0] || data->base_addr == addresses[1])) {
    return MPI_IN_PLACE;
  }
  return data->base_addr == nullptr ? nullptr : address(data, name);
}

}  // namespace adcl::fortran
