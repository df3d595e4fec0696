/// \file finalize_hook.hpp
/// Action for programs that call MPI_Finalize without ADCL_Finalize.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

/// While this object exists, MPI_Finalize calls the action first, while MPI can still be used: MPI frees the attributes
/// of MPI_COMM_SELF before anything else (MPI 4.0, section 11.2.4). Local; create and destroy it between MPI_Init and
/// MPI_Finalize.
class FinalizeHook {
 public:
  using Action = void (*)();
  explicit FinalizeHook(Action action);
  ~FinalizeHook();
  FinalizeHook(const FinalizeHook&) = delete;
  FinalizeHook& operator=(const FinalizeHook&) = delete;

 private:
  static int run(MPI_Comm comm, int key, void* value, void* extra);

  Action action_;  ///< null after the action has run or was canceled
  int key_ = MPI_KEYVAL_INVALID;
};

}  // namespace adcl::mpi
