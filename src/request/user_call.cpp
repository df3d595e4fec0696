#include "request/user_call.hpp"

#include <mpi.h>

#include <exception>

#include "mpi/own_calls.hpp"
#include "request/request.hpp"

namespace adcl::runtime {
namespace {

/// Number of calls of ADCL_Error_set on this thread. A codelet returns nothing, so its caller compares this number
/// before and after. See mpi::own_calls_depth for the storage model and its reason.
#ifdef SMPI_H
constinit thread_local unsigned reported_failures = 0;
#else
constinit thread_local unsigned reported_failures __attribute__((tls_model("initial-exec"))) = 0;
#endif

struct Reported {
  Code code = Code::success;
  std::string message;
};

Reported& last_reported() {
  thread_local Reported reported;
  return reported;
}

class UserPlan final : public Plan {
 public:
  UserPlan(const Function& function, Request& request)
      : function_(function), start_(function.start), wait_(function.wait), request_(request) {}

  void start(const Buffers& /*buffers*/) override {
    call(start_);
    active_ = true;
  }
  bool test() override {
    wait();
    return true;
  }
  void wait() override {
    if (active_ && wait_ != nullptr) {
      active_ = false;
      call(wait_);
    }
  }
  void run(const Buffers& /*buffers*/) override {
    call(start_);
    if (wait_ != nullptr) {
      call(wait_);
    }
  }

 private:
  void call(Function::Work work) {
    const Request::Call running(request_);
    const mpi::ApplicationCalls theirs;
    const unsigned before = reported_failures;
    try {
      work(request_.handle);
    } catch (...) {
      fail_thrown();
    }
    if (reported_failures != before) [[unlikely]] {
      fail_reported();
    }
  }
  // Kept out of call(), which is on the path of every start.
  [[noreturn, gnu::cold, gnu::noinline]] void fail_thrown() const { fail(thrown_failure(name())); }
  /// The message was already shown, so the failure is treated as one that occurred elsewhere.
  [[noreturn, gnu::cold, gnu::noinline]] void fail_reported() const {
    fail({last_reported().code, text(name(), " reported: ", last_reported().message), true});
  }
  [[nodiscard]] std::string name() const { return "codelet '" + function_.name + "'"; }
  [[noreturn]] void fail(const Error& error) const {
    request_.codelet_failed(error.what());
    throw Error(error);
  }

  const Function& function_;
  Function::Work start_;
  Function::Work wait_;
  Request& request_;
  bool active_ = false;
};

}  // namespace

PlanPointer user_plan(const Function& function, Request& request) {
  return std::make_unique<UserPlan>(function, request);
}

void report_failure(Code code, const char* message) {
  last_reported() = {code, message};
  ++reported_failures;
}

Error thrown_failure(const std::string& function) {
  try {
    throw;
  } catch (const std::exception& error) {
    return {Code::callback, text(function, " threw an exception: ", error.what())};
  } catch (...) {
    return {Code::callback, text(function, " threw an exception that is not a std::exception")};
  }
}

}  // namespace adcl::runtime
