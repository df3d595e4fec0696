/// \file defects.hpp
/// Defects of the MPI library, known when ADCL is compiled: sentences for reports, null where there is no defect.
/// Codelets that need what is defective are not applicable.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

#ifdef SMPI_H
inline constexpr const char* self_copy_defect =
    "SimGrid SMPI (3.32) copies nothing between two places of one array when both have datatypes of their own";
inline constexpr const char* persistent_defect =
    "the first start of a persistent request of SimGrid SMPI (3.32) sends what the memory held when it was made";
inline constexpr const char* holes_defect = "SimGrid SMPI (3.32) writes over the holes of datatypes";
#else
inline constexpr const char* self_copy_defect = nullptr;   ///< of MPI_Sendrecv and one-sided calls with the own rank
inline constexpr const char* persistent_defect = nullptr;  ///< of MPI_Send_init with datatypes that are not predefined
inline constexpr const char* holes_defect = nullptr;       ///< of datatypes with holes, in any call
#endif

}  // namespace adcl::mpi
