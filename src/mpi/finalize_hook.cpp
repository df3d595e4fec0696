#include "mpi/finalize_hook.hpp"

#include <utility>

#include "mpi/check.hpp"
#include "mpi/environment.hpp"
#include "mpi/own_calls.hpp"

namespace adcl::mpi {

int FinalizeHook::run(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*extra*/) {
  const OwnCalls own;
  auto* hook = static_cast<FinalizeHook*>(value);
  if (const Action action = std::exchange(hook->action_, nullptr); action != nullptr) {
    action();
  }
  return MPI_SUCCESS;
}

FinalizeHook::FinalizeHook(Action action) : action_(action) {
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, run, &key_, nullptr), "MPI_Comm_create_keyval");
  check(MPI_Comm_set_attr(MPI_COMM_SELF, key_, this), "MPI_Comm_set_attr");
}

FinalizeHook::~FinalizeHook() {
  action_ = nullptr;
  if (!is_finalized()) {
    MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
    MPI_Comm_free_keyval(&key_);
  }
}

}  // namespace adcl::mpi
