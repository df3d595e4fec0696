/// \file blocking_plan.hpp
/// What codelets have in common that do not return from start() before the exchange is complete.
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
