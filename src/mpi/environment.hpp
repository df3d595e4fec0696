/// \file environment.hpp
/// Process-wide MPI state of the library, except the contexts of the user's communicators.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

/// True after MPI_Finalize: MPI objects can no longer be freed.
bool is_finalized() noexcept;

/// This process's rank in MPI_COMM_WORLD.
int world_rank() noexcept;

/// Number of processes in MPI_COMM_WORLD.
int world_size() noexcept;

/// Whether the MPI library provides MPI_THREAD_MULTIPLE.
bool has_thread_multiple();

/// Process-wide MPI objects, created by ADCL_Init and freed by ADCL_Finalize.
class Environment {
 public:
  Environment();
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// A duplicate of MPI_COMM_SELF that returns errors.
  [[nodiscard]] MPI_Comm self() const noexcept { return self_; }
  /// Key of the attribute that stores the Context of a user communicator.
  [[nodiscard]] int context_key() const noexcept { return context_key_; }
  /// Reason why windows over the user's memory must not be used in this process, on any communicator, as a sentence for
  /// reports; null if they may be used.
  [[nodiscard]] const char* window_defect() const noexcept { return window_defect_; }

 private:
  MPI_Comm self_ = MPI_COMM_NULL;
  int context_key_ = MPI_KEYVAL_INVALID;
  const char* window_defect_ = nullptr;
};

/// Action for programs that call MPI_Finalize without ADCL_Finalize.
///
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

/// The environment of this process. Throws Error(not_initialized) outside ADCL_Init ... ADCL_Finalize.
Environment& environment();

void open_environment();
void close_environment() noexcept;

}  // namespace adcl::mpi
