/// \file user_plan.hpp
/// The plan of a user-defined codelet.
#pragma once

#include <string>

#include "core/plan.hpp"
#include "mpi/own_calls.hpp"
#include "request/request.hpp"
#include "request/user_call.hpp"

namespace adcl::runtime {

/// Calls the user's functions with the request's handle. MPI cannot test whether a user's function is complete, so
/// test() completes the operation by its wait function.
///
/// A function fails on this rank by an exception or by ADCL_Error_set. Then the operation ends here without the wait
/// function, and the request is notified: all ranks drop the codelet at their next agreement.
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
  [[noreturn, gnu::cold, gnu::noinline]] void fail_reported() const { fail(reported_failure(name())); }
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

}  // namespace adcl::runtime
