// ADCL_Init to ADCL_Option_get.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "ADCL.h"
#include "capi/guard.hpp"
#include "capi/registry.hpp"
#include "codelets/sets.hpp"
#include "mpi/agreement.hpp"
#include "mpi/context.hpp"
#include "mpi/environment.hpp"
#include "mpi/library.hpp"
#include "output/failures.hpp"
#include "output/report.hpp"
#include "output/trace.hpp"
#include "request/user_call.hpp"

namespace adcl::capi {
namespace {

static_assert(
    ADCL_ERR_ARGUMENT == static_cast<int>(Code::argument) && ADCL_ERR_HANDLE == static_cast<int>(Code::handle) &&
    ADCL_ERR_TYPE == static_cast<int>(Code::type) && ADCL_ERR_STATE == static_cast<int>(Code::state) &&
    ADCL_ERR_MISMATCH == static_cast<int>(Code::mismatch) && ADCL_ERR_OPTION == static_cast<int>(Code::option) &&
    ADCL_ERR_MEMORY == static_cast<int>(Code::memory) && ADCL_ERR_MPI == static_cast<int>(Code::mpi) &&
    ADCL_ERR_UNSUPPORTED == static_cast<int>(Code::unsupported) &&
    ADCL_ERR_NOT_INITIALIZED == static_cast<int>(Code::not_initialized) &&
    ADCL_ERR_FILE == static_cast<int>(Code::file) && ADCL_ERR_NO_CODELET == static_cast<int>(Code::no_codelet) &&
    ADCL_ERR_INTERNAL == static_cast<int>(Code::internal) && ADCL_ERR_CALLBACK == static_cast<int>(Code::callback));

std::atomic<int> initializations{0};
std::mutex initialization_mutex;
std::unique_ptr<mpi::FinalizeHook> hook;

std::string& last_message() {
  thread_local std::string message;
  return message;
}

/// Writes the report and the trace. Throws Error(file) after trying both.
void write_outputs() {
  const auto trace_failure = mpi::error_of([] { runtime::flush_trace(); });
  runtime::write_reports();
  if (trace_failure.has_value()) {
    throw Error(*trace_failure);
  }
}

/// Handles the last message as ADCL_ERRORS requires; with an unknown value, the user sees the error.
void show_last_message(int code, bool elsewhere) {
  const std::string mode = registry().error_mode();
  const bool aborts = mode == "abort";
  if (aborts || (mode != "return" && !elsewhere)) {
    runtime::show_failure(registry().option("ADCL_REPORT"), last_message(), code, aborts);
  }
}

/// Stores an error that a language binding or a user's codelet reports. Throws Error(argument).
void set_last_error(int code, const char* message) {
  require(code >= ADCL_ERR_ARGUMENT && code <= ADCL_ERR_CALLBACK, Code::argument, "code is ", code,
          "; pass a code from ADCL_ERR_ARGUMENT to ADCL_ERR_CALLBACK");
  require_pointer(message, "message");
  last_message() = message;
  show_last_message(code, false);
}

/// Called if the program calls MPI_Finalize without ADCL_Finalize. Writes the output files, but frees nothing: freeing
/// is collective, and the other ranks may have called ADCL_Finalize or have operations in flight. Afterward all
/// handles are invalid, so a start fails at the handle lookup without an MPI call.
void end_with_mpi() {
  guard("MPI_Finalize", [] {
    for (const auto& request : registry().requests.all()) {
      request->report();
    }
    for (const auto& timer : registry().timers.all()) {
      timer->report();
    }
    if (mpi::world_rank() == 0) {
      runtime::report_line(registry().option("ADCL_REPORT"), "the program has not called ADCL_Finalize");
    }
    write_outputs();
  });
  guard("MPI_Finalize", [] { abandon_registry(); });
}

constexpr const char* finalized_text = "MPI is already finalized; call ADCL only before MPI_Finalize";

void open_library() {
  int mpi_initialized = 0;
  MPI_Initialized(&mpi_initialized);
  require(mpi_initialized != 0, Code::state, "MPI is not initialized; call MPI_Init first");
  require(!mpi::is_finalized(), Code::state, finalized_text);
  mpi::require_library_of_build();
  registry().reload_options();
  mpi::open_environment();
  hook = std::make_unique<mpi::FinalizeHook>(end_with_mpi);
  std::vector<std::string> names;
  for (const codelets::PredefinedSet& predefined : codelets::sets()) {
    names.push_back(predefined.set().name);
  }
  std::uint32_t index = 0;
  for (const codelets::PredefinedSet& predefined : codelets::sets()) {
    auto object = std::make_shared<runtime::FunctionSetObject>();
    object->set = predefined.set();
    object->siblings = names;
    registry().fnctsets.insert_reserved(++index, std::move(object));
  }
}

/// Frees all objects in an order that all ranks share: for each communicator, first its requests in the order of their
/// (collective) creation, then the objects that they used.
void close_library() {
  Registry& all = registry();
  hook.reset();
  auto requests = all.requests.remove_all();
  const auto timers = all.timers.remove_all();
  for (const auto& timer : timers) {
    requests.insert(requests.end(), timer->requests().begin(), timer->requests().end());
    timer->release();
  }
  std::sort(requests.begin(), requests.end(), [](const auto& a, const auto& b) { return a->order() < b->order(); });
  const auto duplicates = std::unique(requests.begin(), requests.end());
  requests.erase(duplicates, requests.end());
  const std::size_t leaked = requests.size() + timers.size() + all.topologies.all().size() + all.vectors.all().size();
  for (auto& request : requests) {
    request.reset();
  }
  all.topologies.remove_all();
  all.vectors.remove_all();
  all.vmaps.remove_all();
  all.fnctsets.remove_all();
  all.functions.remove_all();
  all.attrsets.remove_all();
  all.attributes.remove_all();
  if (leaked > 0 && mpi::world_rank() == 0) {
    runtime::report_line(
        all.option("ADCL_REPORT"),
        text("ADCL_Finalize freed ", leaked,
             " requests, timers, topologies and vectors that the application had not freed on rank 0"));
  }
  mpi::Context::release_all();
  mpi::close_environment();
}

}  // namespace

int fail(const char* call, Code code, const char* message, bool elsewhere) noexcept {
  try {
    last_message() = text(call, ": ", message);
  } catch (...) {
    last_message().clear();
  }
  try {
    show_last_message(static_cast<int>(code), elsewhere);
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory is left for a message
  }
  return static_cast<int>(code);
}

void require_initialized() {
  require(initializations.load(std::memory_order_acquire) > 0, Code::not_initialized,
          "the library is not initialized; call ADCL_Init after MPI_Init");
  require(!mpi::is_finalized(), Code::state, finalized_text);
}

std::vector<int> counts_of(const int* counts, int size, const char* argument) {
  require_pointer(counts, argument);
  for (int i = 0; i < size; ++i) {
    require(counts[i] >= 0, Code::argument, argument, "[", i, "] is ", counts[i], "; a count must be at least 0");
  }
  return {counts, counts + size};
}

void copy_text(const std::string& value, char* buffer, int size, const char* argument) {
  require_pointer(buffer, argument);
  require(size > 0 && value.size() < static_cast<std::size_t>(size), Code::argument, argument, " has room for ", size,
          " bytes, but the text needs ", value.size() + 1);
  value.copy(buffer, value.size());
  buffer[value.size()] = '\0';
}

}  // namespace adcl::capi

using namespace adcl::capi;

extern "C" {

int ADCL_Init(void) {
  return guard(__func__, [] {
    const std::scoped_lock lock(initialization_mutex);
    if (initializations.load() == 0) {
      open_library();
    } else {
      require_initialized();
    }
    ++initializations;
  });
}

int ADCL_Finalize(void) {
  return guard_initialized(__func__, [] {
    const std::scoped_lock lock(initialization_mutex);
    if (initializations.load() > 1) {
      --initializations;
      return;
    }
    for (const auto& request : registry().requests.all()) {
      request->require_idle();
    }
    for (const auto& timer : registry().timers.all()) {
      timer->require_idle();
    }
    close_library();
    initializations = 0;
    write_outputs();
  });
}

int ADCL_Initialized(int* flag) {
  return guard(__func__, [&] { store(flag, "flag", initializations.load() > 0 ? 1 : 0); });
}

int ADCL_Get_version(int* major, int* minor, int* patch) {
  return guard(__func__, [&] {
    require_pointer(major, "major");
    require_pointer(minor, "minor");
    require_pointer(patch, "patch");
    *major = ADCL_VERSION_MAJOR;
    *minor = ADCL_VERSION_MINOR;
    *patch = ADCL_VERSION_PATCH;
  });
}

const char* ADCL_Error_string(int code) { return adcl::describe(code); }

const char* ADCL_Last_error(void) { return last_message().c_str(); }

int ADCL_Inside(void) { return adcl::mpi::own_calls_depth > 0 ? 1 : 0; }

int ADCL_Error_record(int code, const char* message) {
  const int set = guard(__func__, [&] { set_last_error(code, message); });
  return set == ADCL_SUCCESS ? code : set;
}

int ADCL_Error_set(int code, const char* message) {
  const int set = guard(__func__, [&] {
    set_last_error(code, message);
    adcl::runtime::report_failure(static_cast<adcl::Code>(code), message);
  });
  return set == ADCL_SUCCESS ? code : set;
}

int ADCL_Option_set(const char* name, const char* value) {
  return guard_initialized(__func__, [&] {
    require_pointer(name, "name");
    require_pointer(value, "value");
    registry().set_option(name, value);
  });
}

int ADCL_Option_get(const char* name, char* value, int size) {
  return guard_initialized(__func__, [&] {
    require_pointer(name, "name");
    copy_text(registry().option(name), value, size, "value");
  });
}

}  // extern "C"
