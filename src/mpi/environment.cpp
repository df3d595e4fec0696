#include "mpi/environment.hpp"

#include <memory>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/context.hpp"
#include "mpi/own_calls.hpp"

namespace adcl::mpi {
namespace {

std::unique_ptr<Environment> instance;

int drop_context(MPI_Comm comm, int /*key*/, void* value, void* /*extra*/) {
  const OwnCalls own;
  Context::forget(comm);
  delete static_cast<std::shared_ptr<Context>*>(value);
  return MPI_SUCCESS;
}

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
/// The component of Open MPI that opened a window, from the window's name: "rdma window 3".
std::string component_of(MPI_Win window) {
  std::string name(MPI_MAX_OBJECT_NAME, '\0');
  int length = 0;
  check(MPI_Win_get_name(window, name.data(), &length), "MPI_Win_get_name");
  return name.substr(0, name.find(' '));
}

/// Open MPI 5 implements one-sided communication with the network library (UCX) or with active messages. Active
/// messages that could not be sent are stored and created again at each attempt, which leaks some hundred megabytes per
/// second while a process is late. This happens with more than 512 contiguous pieces in flight (5.0.11).
const char* find_window_defect(MPI_Comm self) {
  char memory[64] = {};
  MPI_Win window = MPI_WIN_NULL;
  if (MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, self, &window) != MPI_SUCCESS) {
    return nullptr;  // codelets cannot create windows either
  }
  const std::string component = component_of(window);
  MPI_Win_free(&window);
  return component == "rdma"
             ? "one-sided communication of Open MPI 5 without UCX (osc/rdma) uses more and more memory while "
               "it waits for a late process"
             : nullptr;
}
#else
const char* find_window_defect(MPI_Comm /*self*/) { return nullptr; }
#endif

}  // namespace

bool has_thread_multiple() {
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  return level == MPI_THREAD_MULTIPLE;
}

int world_rank() noexcept {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() noexcept {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
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
  window_defect_ = find_window_defect(self_);
}

Environment::~Environment() {
  if (!is_finalized()) {
    MPI_Comm_free_keyval(&context_key_);
    MPI_Comm_free(&self_);
  }
}

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

Environment& environment() {
  require(instance != nullptr, Code::not_initialized, "ADCL is not initialized; call ADCL_Init first");
  return *instance;
}

void open_environment() { instance = std::make_unique<Environment>(); }

void close_environment() noexcept { instance.reset(); }

}  // namespace adcl::mpi
