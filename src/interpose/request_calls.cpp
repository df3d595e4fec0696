// Interceptors for the calls that start, complete and free requests, for the operations of persistent.hpp. Without such
// an operation, a call reads one counter. MPI libraries without persistent collectives need no interceptors.
#include <mpi.h>

#ifdef ADCL_HAVE_PERSISTENT_COLLECTIVES

#include <algorithm>
#include <vector>

#include "interpose/persistent.hpp"
#include "interpose/process.hpp"
#include "measure/stopwatch.hpp"
#include "profile/next.hpp"

namespace adcl::interpose {
namespace {

using profile::Next;

/// The next function of the same name.
template <auto linked>
class NextCall {
 public:
  constexpr explicit NextCall(const char* name) noexcept : next_(name) {}
  template <typename... Arguments>
  int operator()(Arguments... arguments) {
    void* const found = next_.address();
    return (found != nullptr ? reinterpret_cast<decltype(linked)>(found) : linked)(arguments...);
  }

 private:
  Next next_;
};

#define ADCL_NEXT(function, name) constinit NextCall<&PMPI_##name> function("MPI_" #name)
ADCL_NEXT(next_start, Start);
ADCL_NEXT(next_startall, Startall);
ADCL_NEXT(next_wait, Wait);
ADCL_NEXT(next_waitall, Waitall);
ADCL_NEXT(next_waitany, Waitany);
ADCL_NEXT(next_waitsome, Waitsome);
ADCL_NEXT(next_test, Test);
ADCL_NEXT(next_testall, Testall);
ADCL_NEXT(next_testany, Testany);
ADCL_NEXT(next_testsome, Testsome);
ADCL_NEXT(next_get_status, Request_get_status);
ADCL_NEXT(next_free, Request_free);
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
#define ADCL_GET_STATUS_OF_SEVERAL
ADCL_NEXT(next_get_status_all, Request_get_status_all);
ADCL_NEXT(next_get_status_any, Request_get_status_any);
ADCL_NEXT(next_get_status_some, Request_get_status_some);
#endif

bool has_requests() noexcept {
  return tracked_requests.load(std::memory_order_relaxed) > 0 && mpi::own_calls_depth == 0;
}
bool has_operations() noexcept {
  return operations_in_flight.load(std::memory_order_relaxed) > 0 && mpi::own_calls_depth == 0;
}

/// An operation in flight among the requests of a call.
struct InFlight {
  int index = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  PersistentSearch* search = nullptr;
  MPI_Comm context = MPI_COMM_NULL;  ///< where waiting ranks let MPI make progress
  bool ready = false;                ///< poll() has returned true
};

/// The operations among the requests of a call, and the time of the call.
class InFlightOfCall {
 public:
  InFlightOfCall(int count, const MPI_Request* requests) {
    for (int i = 0; i < count; ++i) {
      PersistentSearch* const search = requests[i] != MPI_REQUEST_NULL ? find_persistent(requests[i]) : nullptr;
      if (search != nullptr && search->in_flight()) {
        all_.push_back({i, requests[i], search, search->progress_comm(), false});
        timed_ = timed_ || search->is_timed();
      }
    }
    begin_s_ = timed_ ? measure::now() : 0.0;
  }
  /// Adds the time of the call to the operations that are not complete.
  ~InFlightOfCall() { charge(); }
  InFlightOfCall(const InFlightOfCall&) = delete;
  InFlightOfCall& operator=(const InFlightOfCall&) = delete;

  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] std::vector<InFlight>& all() noexcept { return all_; }

  /// Makes progress. Returns whether all operations are ready.
  bool poll() {
    for (InFlight& one : all_) {
      one.ready = one.ready || one.search->poll();
    }
    return std::ranges::all_of(all_, &InFlight::ready);
  }
  /// Lets MPI make progress. For calls that return before an operation is complete.
  void drive() { codelets::drive_mpi(all_.front().context); }
  /// Waits with \p done, which calls poll(), until it returns true.
  template <typename Condition>
  void wait(const Condition& done) {
    if (done()) {
      return;
    }
    codelets::Backoff backoff(all_.front().context);
    backoff.begin();
    while (!done()) {
      backoff.pause();
    }
    backoff.end();
  }
  /// Completes an operation. The MPI library's request is complete or inactive.
  int finish(InFlight& one) {
    charge();
    const int code = one.search->finish();
    --operations_in_flight;
    if (one.search->is_over()) {
      forget_persistent(one.request);
    }
    one.search = nullptr;
    return code;
  }
  int finish_all() {
    int code = MPI_SUCCESS;
    for (InFlight& one : all_) {
      const int own = finish(one);
      code = own != MPI_SUCCESS ? own : code;
    }
    return code;
  }
  /// Completes the operation of the MPI library's request \p index, if there is one.
  int finish_at(int index) {
    for (InFlight& one : all_) {
      if (one.index == index && one.search != nullptr) {
        return finish(one);
      }
    }
    return MPI_SUCCESS;
  }
  /// A copy of the requests, with MPI_REQUEST_NULL for each request whose operation a codelet performs or whose
  /// agreement is in flight.
  [[nodiscard]] std::vector<MPI_Request> without_own(int count, const MPI_Request* requests) const {
    std::vector<MPI_Request> others(requests, requests + count);
    for (const InFlight& one : all_) {
      if (one.search != nullptr && (one.search->runs_codelet() || !one.ready)) {
        others[static_cast<std::size_t>(one.index)] = MPI_REQUEST_NULL;
      }
    }
    return others;
  }
  /// Copies the other handles back, which MPI may have set to MPI_REQUEST_NULL.
  void put_back(const std::vector<MPI_Request>& others, MPI_Request* requests) const {
    auto own = all_.begin();
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (own != all_.end() && own->index == static_cast<int>(i)) {
        ++own;  // a persistent request keeps its handle
      } else {
        requests[i] = others[i];
      }
    }
  }
  /// The first ready operation of a codelet, or null.
  [[nodiscard]] InFlight* ready_codelet() {
    for (InFlight& one : all_) {
      if (one.search != nullptr && one.ready && one.search->runs_codelet()) {
        return &one;
      }
    }
    return nullptr;
  }

 private:
  void charge() {
    if (!timed_) {
      return;
    }
    const double now_s = measure::now();
    for (const InFlight& one : all_) {
      if (one.search != nullptr && one.search->is_timed()) {
        one.search->add_seconds(now_s - begin_s_);
      }
    }
    begin_s_ = now_s;
  }

  std::vector<InFlight> all_;
  bool timed_ = false;
  double begin_s_ = 0.0;
};

/// The status of a collective operation.
void set_empty(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) {
    return;
  }
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
}

MPI_Status* status_at(MPI_Status* statuses, int index) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

int first_error(int code, int other) { return code != MPI_SUCCESS ? code : other; }

int start_request(MPI_Request* request, PersistentSearch& search) {
  const auto native = [request] { return next_start(request); };
  const int code = search.start(NativeCall(native));
  if (search.in_flight()) {
    ++operations_in_flight;
  }
  return code;
}

int start_all(int count, MPI_Request requests[]) {
  std::vector<MPI_Request> others;
  int code = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    if (PersistentSearch* const search = find_persistent(requests[i])) {
      code = first_error(code, start_request(&requests[i], *search));
    } else {
      others.push_back(requests[i]);
    }
  }
  // The handles of persistent requests do not change.
  return others.empty() ? code : first_error(code, next_startall(static_cast<int>(others.size()), others.data()));
}

/// One operation, as for MPI_Wait and MPI_Test. \p flag: null for a wait.
int complete(InFlightOfCall& own, MPI_Request* request, int* flag, MPI_Status* status) {
  InFlight& one = own.all().front();
  if (flag != nullptr) {
    *flag = own.poll() ? 1 : 0;
    if (*flag == 0) {
      own.drive();
      return MPI_SUCCESS;
    }
  } else {
    own.wait([&own] { return own.poll(); });
  }
  if (one.search->runs_codelet()) {
    set_empty(status);
    return own.finish(one);
  }
  const int code = flag != nullptr ? next_test(request, flag, status) : next_wait(request, status);
  return flag == nullptr || *flag != 0 ? first_error(code, own.finish(one)) : code;
}

/// One attempt to complete a request. Sets \p index to MPI_UNDEFINED if there is none.
int try_any(InFlightOfCall& own, int count, MPI_Request requests[], int* index, MPI_Status* status) {
  own.poll();
  if (InFlight* const one = own.ready_codelet()) {
    *index = one->index;
    set_empty(status);
    return own.finish(*one);
  }
  std::vector<MPI_Request> others = own.without_own(count, requests);
  int flag = 0;
  const int code = next_testany(count, others.data(), index, &flag, status);
  if (flag == 0 || *index == MPI_UNDEFINED) {
    *index = MPI_UNDEFINED;
    return code;
  }
  requests[*index] = others[static_cast<std::size_t>(*index)];
  return first_error(code, own.finish_at(*index));
}

/// One attempt to complete requests.
int try_some(InFlightOfCall& own, int count, MPI_Request requests[], int* number, int indices[],
             MPI_Status statuses[]) {
  own.poll();
  std::vector<MPI_Request> others = own.without_own(count, requests);
  int code = next_testsome(count, others.data(), number, indices, statuses);
  *number = std::max(*number, 0);  // MPI_UNDEFINED is negative: no active request
  for (int i = 0; i < *number; ++i) {
    requests[indices[i]] = others[static_cast<std::size_t>(indices[i])];
    code = first_error(code, own.finish_at(indices[i]));
  }
  while (InFlight* const one = own.ready_codelet()) {
    indices[*number] = one->index;
    set_empty(status_at(statuses, *number));
    if (statuses != MPI_STATUSES_IGNORE) {
      statuses[*number].MPI_ERROR = MPI_SUCCESS;
    }
    ++*number;
    code = first_error(code, own.finish(*one));
  }
  return code;
}
static_assert(MPI_UNDEFINED < 0);

int free_request(MPI_Request* request) {
  if (PersistentSearch* const search = find_persistent(*request)) {
    InFlightOfCall own(1, request);
    if (!own.empty() && search->runs_codelet()) {  // the standard forbids it
      own.wait([&own] { return own.poll(); });
      own.finish_all();
    }
    forget_persistent(*request);
    search->detach();
  }
  return next_free(request);
}

}  // namespace
}  // namespace adcl::interpose

// NOLINTNEXTLINE(google-build-using-namespace): the functions below have the names of C
using namespace adcl::interpose;

extern "C" {

ADCL_EXPORT int MPI_Start(MPI_Request* request) {
  PersistentSearch* const search = has_requests() ? find_persistent(*request) : nullptr;
  if (search == nullptr) {
    return next_start(request);
  }
  const adcl::mpi::OwnCalls own;
  return start_request(request, *search);
}

ADCL_EXPORT int MPI_Startall(int count, MPI_Request requests[]) {
  if (!has_requests()) {
    return next_startall(count, requests);
  }
  const adcl::mpi::OwnCalls own;
  return start_all(count, requests);
}

ADCL_EXPORT int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (!has_operations()) {
    return next_wait(request, status);
  }
  const adcl::mpi::OwnCalls calls;
  InFlightOfCall own(1, request);
  return own.empty() ? next_wait(request, status) : complete(own, request, nullptr, status);
}

ADCL_EXPORT int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (!has_operations()) {
    return next_test(request, flag, status);
  }
  const adcl::mpi::OwnCalls calls;
  InFlightOfCall own(1, request);
  return own.empty() ? next_test(request, flag, status) : complete(own, request, flag, status);
}

ADCL_EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  if (!has_operations()) {
    return next_waitall(count, requests, statuses);
  }
  const adcl::mpi::OwnCalls calls;
  InFlightOfCall own(count, requests);
  if (own.empty()) {
    return next_waitall(count, requests, statuses);
  }
  own.wait([&own] { return own.poll(); });
  std::vector<MPI_Request> others = own.without_own(count, requests);
  const int code = next_waitall(count, others.data(), statuses);
  own.put_back(others, requests);
  return first_error(code, own.finish_all());
}

ADCL_EXPORT int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  if (!has_operations()) {
    return next_testall(count, requests, flag, statuses);
  }
  const adcl::mpi::OwnCalls calls;
  InFlightOfCall own(count, requests);
  if (own.empty()) {
    return next_testall(count, requests, flag, statuses);
  }
  if (!own.poll()) {
    *flag = 0;
    own.drive();
    return MPI_SUCCESS;
  }
  std::vector<MPI_Request> others = own.without_own(count, requests);
  const int code = next_testall(count, others.data(), flag, statuses);
  own.put_back(others, requests);
  return *flag != 0 ? first_error(code, own.finish_all()) : code;
}

ADCL_EXPORT int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  if (!has_operations()) {
    return next_waitany(count, requests, index, status);
  }
  const adcl::mpi::OwnCalls calls;
  InFlightOfCall own(count, requests);
  if (own.empty()) {
    return next_waitany(count, requests, index, status);
  }
  int code = MPI_SUCCESS;
  own.wait([&] {
    code = try_any(own, count, requests, index, status);
    return code != MPI_SUCCESS || *index != MPI_UNDEFINED;
  });
  return code;
}

ADCL_EXPORT int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  if (!has_operations()) {
    return next_testany(count, requests, index, flag, status);
  }
  const adcl::mpi::OwnCalls calls;
  InFlightOfCall own(count, requests);
  if (own.empty()) {
    return next_testany(count, requests, index, flag, status);
  }
  const int code = try_any(own, count, requests, index, status);
  *flag = *index != MPI_UNDEFINED ? 1 : 0;
  if (*flag == 0) {
    own.drive();
  }
  return code;
}

ADCL_EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int* number, int indices[], MPI_Status statuses[]) {
  if (!has_operations()) {
    return next_waitsome(count, requests, number, indices, statuses);
  }
  const adcl::mpi::OwnCalls calls;
  InFlightOfCall own(count, requests);
  if (own.empty()) {
    return next_waitsome(count, requests, number, indices, statuses);
  }
  int code = MPI_SUCCESS;
  own.wait([&] {
    code = try_some(own, count, requests, number, indices, statuses);
    return code != MPI_SUCCESS || *number > 0;
  });
  return code;
}

ADCL_EXPORT int MPI_Testsome(int count, MPI_Request requests[], int* number, int indices[], MPI_Status statuses[]) {
  if (!has_operations()) {
    return next_testsome(count, requests, number, indices, statuses);
  }
  const adcl::mpi::OwnCalls calls;
  InFlightOfCall own(count, requests);
  if (own.empty()) {
    return next_testsome(count, requests, number, indices, statuses);
  }
  const int code = try_some(own, count, requests, number, indices, statuses);
  if (*number == 0) {
    own.drive();
  }
  return code;
}

ADCL_EXPORT int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  if (!has_operations()) {
    return next_get_status(request, flag, status);
  }
  const adcl::mpi::OwnCalls calls;
  InFlightOfCall own(1, &request);
  if (own.empty() || (own.poll() && !own.all().front().search->runs_codelet())) {
    return next_get_status(request, flag, status);
  }
  *flag = own.all().front().ready ? 1 : 0;
  if (*flag != 0) {
    set_empty(status);
  } else {
    own.drive();
  }
  return MPI_SUCCESS;
}

#ifdef ADCL_GET_STATUS_OF_SEVERAL
ADCL_EXPORT int MPI_Request_get_status_all(int count, const MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  if (!has_operations()) {
    return next_get_status_all(count, requests, flag, statuses);
  }
  const adcl::mpi::OwnCalls calls;
  InFlightOfCall own(count, requests);
  if (!own.poll()) {
    *flag = 0;
    own.drive();
    return MPI_SUCCESS;
  }
  const std::vector<MPI_Request> others = own.without_own(count, requests);
  return next_get_status_all(count, others.data(), flag, statuses);
}

ADCL_EXPORT int MPI_Request_get_status_any(int count, const MPI_Request requests[], int* index, int* flag,
                                           MPI_Status* status) {
  if (!has_operations()) {
    return next_get_status_any(count, requests, index, flag, status);
  }
  const adcl::mpi::OwnCalls calls;
  InFlightOfCall own(count, requests);
  own.poll();
  if (const InFlight* const one = own.ready_codelet()) {
    *index = one->index;
    *flag = 1;
    set_empty(status);
    return MPI_SUCCESS;
  }
  const std::vector<MPI_Request> others = own.without_own(count, requests);
  const int code = next_get_status_any(count, others.data(), index, flag, status);
  if (!own.empty() && *flag != 0 && *index == MPI_UNDEFINED) {
    *flag = 0;  // the only active requests are those of codelets
    own.drive();
  }
  return code;
}

ADCL_EXPORT int MPI_Request_get_status_some(int count, const MPI_Request requests[], int* number, int indices[],
                                            MPI_Status statuses[]) {
  if (!has_operations()) {
    return next_get_status_some(count, requests, number, indices, statuses);
  }
  const adcl::mpi::OwnCalls calls;
  InFlightOfCall own(count, requests);
  own.poll();
  const std::vector<MPI_Request> others = own.without_own(count, requests);
  const int code = next_get_status_some(count, others.data(), number, indices, statuses);
  if (own.empty()) {
    return code;
  }
  *number = std::max(*number, 0);
  for (const InFlight& one : own.all()) {
    if (one.ready && one.search->runs_codelet()) {
      indices[*number] = one.index;
      set_empty(status_at(statuses, *number));
      ++*number;
    }
  }
  return code;
}
#endif

ADCL_EXPORT int MPI_Request_free(MPI_Request* request) {
  if (!has_requests()) {
    return next_free(request);
  }
  const adcl::mpi::OwnCalls calls;
  return free_request(request);
}

}  // extern "C"

#endif
