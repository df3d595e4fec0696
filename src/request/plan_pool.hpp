/// \file plan_pool.hpp
/// The plans of one request, each created when it is first needed. A plan that cannot be created is skipped.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan.hpp"
#include "mpi/together.hpp"
#include "tuner/indices.hpp"

namespace adcl::runtime {

/// One slot per candidate of the request's problem. All ranks make the same calls in the same order: plans may own
/// windows and communicators, which are created and freed collectively.
class PlanPool {
 public:
  /// Creates the plan of a candidate, or throws the same error on all ranks.
  using Maker = std::function<PlanPointer(Candidate)>;

  PlanPool() = default;
  ~PlanPool() { clear(); }
  PlanPool(const PlanPool&) = delete;
  PlanPool& operator=(const PlanPool&) = delete;

  void set_up(std::size_t candidates, Maker maker) {
    slots_.resize(candidates);
    maker_ = std::move(maker);
  }
  /// Returns the plan; null if it cannot be created. Then failure() returns the reason, and later calls do not retry.
  Plan* get(Candidate candidate) {
    Slot& slot = slots_[index_of(candidate)];
    if (slot.plan == nullptr && slot.failure.empty()) {
      if (const auto error = mpi::error_of([&] { slot.plan = maker_(candidate); })) {
        slot.failure = error->what();
      }
    }
    return slot.plan.get();
  }
  /// True if the plan exists.
  [[nodiscard]] bool has_plan(Candidate candidate) const { return slots_[index_of(candidate)].plan != nullptr; }
  /// Why the plan could not be created; empty if it was created or never needed.
  [[nodiscard]] const std::string& failure(Candidate candidate) const { return slots_[index_of(candidate)].failure; }
  [[nodiscard]] bool can_make(Candidate candidate) const { return failure(candidate).empty(); }
  /// Frees the plans of candidates that are not \p kept, in the order of the candidates.
  template <typename Kept>
  void retire(const Kept& kept) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].plan != nullptr && !kept(from_index<Candidate>(i))) {
        slots_[i].plan.reset();
      }
    }
  }
  void clear() {
    retire([](Candidate) { return false; });
  }

 private:
  struct Slot {
    PlanPointer plan;
    std::string failure;
  };
  Maker maker_;
  std::vector<Slot> slots_;
};

}  // namespace adcl::runtime
