/// \file plan.hpp
/// A codelet made ready for one problem. Pure.
#pragma once

#include <memory>

#include "core/problem.hpp"

namespace adcl {

/// Everything expensive (derived datatypes, pack buffers, windows, persistent requests) is made by the constructor of
/// a plan, nothing in start(). A plan belongs to one request and has one operation in flight.
///
/// Contract: start() then wait(), or start() and test() until it is true; after either the plan can be started again.
/// A plan of a codelet that is not nonblocking may do all its work in start(). Failures are thrown as Error.
/// Destroying a plan of a `collective_plan` codelet is collective.
class Plan {
 public:
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  virtual ~Plan() = default;

  virtual void start(const Buffers& buffers) = 0;

  /// True when the operation is complete; helps it along otherwise and never waits. True without an operation.
  virtual bool test() = 0;

  /// Returns when the operation is complete.
  virtual void wait() = 0;

  /// start() and wait() in one: the call of production.
  virtual void run(const Buffers& buffers) {
    start(buffers);
    wait();
  }
};

using PlanPointer = std::unique_ptr<Plan>;

}  // namespace adcl
