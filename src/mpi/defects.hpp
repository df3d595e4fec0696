/// \file defects.hpp
/// Defects of the MPI library that are known when ADCL is compiled: sentences for reports, null if there is no defect.
/// Codelets that need the defective feature are not applicable.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

#ifdef SMPI_H
inline constexpr const char* self_copy_defect =
    "SimGrid SMPI (3.32) copies nothing between two parts of an array that have different derived datatypes";
inline constexpr const char* persistent_defect =
    "in SimGrid SMPI (3.32), the first start of a persistent request sends the data that the buffer held when the "
    "request was created";
inline constexpr const char* holes_defect = "SimGrid SMPI (3.32) overwrites the holes of datatypes";
#else
inline constexpr const char* self_copy_defect = nullptr;   ///< in MPI_Sendrecv and one-sided calls to the own rank
inline constexpr const char* persistent_defect = nullptr;  ///< in MPI_Send_init with derived datatypes
inline constexpr const char* holes_defect = nullptr;       ///< in any call with a datatype that has holes
#endif

}  // namespace adcl::mpi
