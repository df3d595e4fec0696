#include "mpi/operation.hpp"

#include "core/error.hpp"
#include "mpi/check.hpp"

namespace adcl::mpi {

bool is_commutative(MPI_Op op) {
  require(op != MPI_OP_NULL, Code::argument, "op is MPI_OP_NULL; pass an operation such as MPI_SUM");
  int commutative = 0;
  check(MPI_Op_commutative(op, &commutative), "MPI_Op_commutative");
  return commutative != 0;
}

bool order_matters(MPI_Op op, MPI_Datatype type, int ranks) {
  const auto among = [](auto handle, auto... handles) { return ((handle == handles) || ...); };
  const bool whole =
      among(type, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT, MPI_UNSIGNED, MPI_LONG,
            MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T,
            MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T, MPI_AINT, MPI_COUNT, MPI_OFFSET) ||
      among(type, MPI_C_BOOL, MPI_BYTE, MPI_2INT, MPI_SHORT_INT, MPI_LONG_INT, MPI_INTEGER, MPI_LOGICAL, MPI_2INTEGER);
  const bool predefined = among(op, MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR,
                                MPI_BXOR, MPI_MAXLOC, MPI_MINLOC);
  if (whole && predefined) {
    return false;
  }
  const bool floating = among(type, MPI_FLOAT, MPI_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION);
  return !(ranks <= 2 && floating && among(op, MPI_SUM, MPI_PROD));
}

}  // namespace adcl::mpi
