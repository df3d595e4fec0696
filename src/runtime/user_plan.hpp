/// \file user_plan.hpp
/// A codelet written by the user, as a plan.
#pragma once

#include "core/plan.hpp"
#include "runtime/request.hpp"

namespace adcl::runtime {

/// Calls the user's functions with the request's handle. MPI offers no way to ask a user's function whether it is done,
/// so test() completes the operation by its wait function.
class UserPlan final : public Plan {
 public:
  UserPlan(const Function& function, const Request& request)
      : start_(function.start), wait_(function.wait), request_(request) {}

  void start(const Buffers& /*buffers*/) override {
    active_ = true;
    start_(request_.handle);
  }
  bool test() override {
    wait();
    return true;
  }
  void wait() override {
    if (active_ && wait_ != nullptr) {
      active_ = false;
      wait_(request_.handle);
    }
  }
  void run(const Buffers& /*buffers*/) override {
    start_(request_.handle);
    if (wait_ != nullptr) {
      wait_(request_.handle);
    }
  }

 private:
  Function::Work start_;
  Function::Work wait_;
  const Request& request_;
  bool active_ = false;
};

}  // namespace adcl::runtime
