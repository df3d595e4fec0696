/// \file blocking_plan.hpp
/// Base class for codelets whose start() returns only after the exchange is complete.
#pragma once

#include "core/plan.hpp"

namespace adcl::codelets {

/// A plan that does everything in start().
class BlockingPlan : public Plan {
 public:
  bool test() final { return true; }
  void wait() final {}
};

}  // namespace adcl::codelets
