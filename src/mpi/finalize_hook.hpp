/// \file finalize_hook.hpp
/// What is to happen when the program ends MPI without having ended the library.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

/// While it exists, MPI_Finalize begins with a call of the action, in which MPI may still be used: MPI frees the
/// attributes of MPI_COMM_SELF before anything else (MPI 4.0, section 11.2.4). Local; made and destroyed while MPI
/// runs.
class FinalizeHook {
 public:
  using Action = void (*)();
  explicit FinalizeHook(Action action);
  ~FinalizeHook();
  FinalizeHook(const FinalizeHook&) = delete;
  FinalizeHook& operator=(const FinalizeHook&) = delete;

 private:
  static int run(MPI_Comm comm, int key, void* value, void* extra);

  Action action_;  ///< null when nothing is to happen any more
  int key_ = MPI_KEYVAL_INVALID;
};

}  // namespace adcl::mpi
