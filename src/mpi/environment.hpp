/// \file environment.hpp
/// What the library needs of MPI besides the user's communicators.
#pragma once

#include <mpi.h>

namespace adcl::mpi {

/// True after MPI_Finalize: MPI objects can no longer be freed.
bool is_finalized() noexcept;

/// This process's rank in MPI_COMM_WORLD.
int world_rank() noexcept;

/// Processes of MPI_COMM_WORLD.
int world_size() noexcept;

/// The MPI library has promised MPI_THREAD_MULTIPLE.
bool has_thread_multiple();

/// Process-wide MPI objects, made by ADCL_Init and freed by ADCL_Finalize.
class Environment {
 public:
  Environment();
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// A duplicate of MPI_COMM_SELF whose errors return.
  [[nodiscard]] MPI_Comm self() const noexcept { return self_; }
  /// Attribute of user communicators that holds their Context.
  [[nodiscard]] int context_key() const noexcept { return context_key_; }
  /// Why windows over the user's memory must not be used in this process, on any communicator, as a sentence for
  /// reports; null where they may be.
  [[nodiscard]] const char* window_defect() const noexcept { return window_defect_; }

 private:
  MPI_Comm self_ = MPI_COMM_NULL;
  int context_key_ = MPI_KEYVAL_INVALID;
  const char* window_defect_ = nullptr;
};

/// The environment of this process. Throws Error(not_initialized) outside ADCL_Init ... ADCL_Finalize.
Environment& environment();

void open_environment();
void close_environment() noexcept;

}  // namespace adcl::mpi
