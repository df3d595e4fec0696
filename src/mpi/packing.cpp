#include "mpi/packing.hpp"

#include "mpi/check.hpp"
#include "mpi/environment.hpp"

namespace adcl::mpi {
namespace {

#ifdef MPICH_NUMVERSION
/// MPICH 4.0 packs too little of a contiguous datatype: it takes the number of its handle, divided by 256, for the size
/// of a basic element, and leaves out what is behind the last whole one. That shows once 512 datatypes are alive.
void mend(const void* array, const Datatype& type, void* buffer, int bytes, int before, int& position) {
  int size = 0;
  check(MPI_Type_size(type.get(), &size), "MPI_Type_size");
  if (position - before == size) {
    return;
  }
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  check(MPI_Type_get_true_extent(type.get(), &lower_bound, &extent), "MPI_Type_get_true_extent");
  position = before;
  check(MPI_Pack(static_cast<const std::byte*>(array) + lower_bound, size, MPI_BYTE, buffer, bytes, &position,
                 environment().self()),
        "MPI_Pack");
}
#endif

}  // namespace

void pack(const void* array, const Datatype& type, void* buffer, int bytes, int& position) {
  [[maybe_unused]] const int before = position;
  check(MPI_Pack(array, 1, type.get(), buffer, bytes, &position, environment().self()), "MPI_Pack");
#ifdef MPICH_NUMVERSION
  mend(array, type, buffer, bytes, before, position);
#endif
}

void unpack(const void* buffer, int bytes, int& position, void* array, const Datatype& type) {
  check(MPI_Unpack(buffer, bytes, &position, array, 1, type.get(), environment().self()), "MPI_Unpack");
}

}  // namespace adcl::mpi
