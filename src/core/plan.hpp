/// \file plan.hpp
/// A codelet prepared for one problem. Pure.
#pragma once

#include <memory>

#include "core/problem.hpp"

namespace adcl {

/// The constructor of a plan creates everything expensive (derived datatypes, pack buffers, windows, persistent
/// requests); start() creates nothing. A plan belongs to one request and has at most one operation in flight.
///
/// Contract: call start(), then wait(), or test() until it returns true; then the plan can be started again. A plan of
/// a codelet without `nonblocking` may do all its work in start(). Errors are thrown as Error. Destroying a plan of a
/// `collective_plan` codelet is collective.
class Plan {
 public:
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  virtual ~Plan() = default;

  virtual void start(const Buffers& buffers) = 0;

  /// Returns true when the operation is complete or there is none; otherwise makes progress without blocking.
  virtual bool test() = 0;

  /// Returns when the operation is complete.
  virtual void wait() = 0;

  /// start() and wait() in one call: the fast path after the decision.
  virtual void run(const Buffers& buffers) {
    start(buffers);
    wait();
  }
};

using PlanPointer = std::unique_ptr<Plan>;

}  // namespace adcl
