/// \file user_plan.hpp
/// A codelet written by the user, as a plan.
#pragma once

#include "core/plan.hpp"
#include "mpi/own_calls.hpp"
#include "runtime/request.hpp"

namespace adcl::runtime {

/// Calls the user's functions with the request's handle. MPI offers no way to ask a user's function whether it is done,
/// so test() completes the operation by its wait function.
class UserPlan final : public Plan {
 public:
  UserPlan(const Function& function, Request& request)
      : start_(function.start), wait_(function.wait), request_(request) {}

  void start(const Buffers& /*buffers*/) override {
    active_ = true;
    call(start_);
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
    work(request_.handle);
  }

  Function::Work start_;
  Function::Work wait_;
  Request& request_;
  bool active_ = false;
};

}  // namespace adcl::runtime
