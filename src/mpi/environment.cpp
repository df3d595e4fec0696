#include "mpi/environment.hpp"

#include <memory>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/context.hpp"

namespace adcl::mpi {
namespace {

std::unique_ptr<Environment> instance;

int drop_context(MPI_Comm comm, int /*key*/, void* value, void* /*extra*/) {
  Context::forget(comm);
  delete static_cast<std::shared_ptr<Context>*>(value);
  return MPI_SUCCESS;
}

}  // namespace

bool has_thread_multiple() {
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  return level == MPI_THREAD_MULTIPLE;
}

bool is_finalized() noexcept {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag != 0;
}

Environment::Environment() {
  check(MPI_Comm_dup(MPI_COMM_SELF, &self_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(self_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_context, &context_key_, nullptr), "MPI_Comm_create_keyval");
}

Environment::~Environment() {
  if (!is_finalized()) {
    MPI_Comm_free_keyval(&context_key_);
    MPI_Comm_free(&self_);
  }
}

Environment& environment() {
  require(instance != nullptr, Code::not_initialized, "ADCL is not initialised; call ADCL_Init first");
  return *instance;
}

void open_environment() { instance = std::make_unique<Environment>(); }

void close_environment() noexcept { instance.reset(); }

}  // namespace adcl::mpi
