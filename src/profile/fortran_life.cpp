// Interceptors of MPI initialization and finalization in Fortran.
#include "profile/calls.hpp"
#include "profile/fortran_next.hpp"
#include "profile/write.hpp"

using adcl::profile::begin_profile;
using adcl::profile::Next;
using adcl::profile::write_profile;

#define ADCL_NAMES(lower, upper) \
  ADCL_ROUTINE(mpi_##lower##_)   \
  ADCL_ROUTINE(mpi_##lower##__)  \
  ADCL_ROUTINE(mpi_##lower)      \
  ADCL_ROUTINE(MPI_##upper)      \
  ADCL_ROUTINE(mpi_##lower##_f08_)

extern "C" {

#define ADCL_ROUTINE(symbol)                                   \
  ADCL_EXPORT void symbol(void* ierror);                       \
  void symbol(void* ierror) {                                  \
    static constinit Next next(#symbol);                       \
    reinterpret_cast<void (*)(void*)>(next.address())(ierror); \
    begin_profile();                                           \
  }
ADCL_NAMES(init, INIT)
#undef ADCL_ROUTINE

#define ADCL_ROUTINE(symbol)                                                                     \
  ADCL_EXPORT void symbol(void* required, void* provided, void* ierror);                         \
  void symbol(void* required, void* provided, void* ierror) {                                    \
    static constinit Next next(#symbol);                                                         \
    reinterpret_cast<void (*)(void*, void*, void*)>(next.address())(required, provided, ierror); \
    begin_profile();                                                                             \
  }
ADCL_NAMES(init_thread, INIT_THREAD)
#undef ADCL_ROUTINE

#define ADCL_ROUTINE(symbol)                                   \
  ADCL_EXPORT void symbol(void* ierror);                       \
  void symbol(void* ierror) {                                  \
    static constinit Next next(#symbol);                       \
    write_profile();                                           \
    reinterpret_cast<void (*)(void*)>(next.address())(ierror); \
  }
ADCL_NAMES(finalize, FINALIZE)
#undef ADCL_ROUTINE

}  // extern "C"
