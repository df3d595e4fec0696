#include "request/plan_pool.hpp"

#include <utility>

#include "mpi/together.hpp"

namespace adcl::runtime {

void PlanPool::set_up(std::size_t candidates, Maker maker) {
  slots_.resize(candidates);
  maker_ = std::move(maker);
}

Plan* PlanPool::get(Candidate candidate) {
  Slot& slot = slots_[place(candidate)];
  if (slot.plan == nullptr && slot.failure.empty()) {
    if (const auto error = mpi::error_of([&] { slot.plan = maker_(candidate); })) {
      slot.failure = error->what();
    }
  }
  return slot.plan.get();
}

void PlanPool::retire(const std::function<bool(Candidate)>& kept) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].plan != nullptr && !kept(index_at<Candidate>(i))) {
      slots_[i].plan.reset();
    }
  }
}

void PlanPool::clear() {
  retire([](Candidate) { return false; });
}

}  // namespace adcl::runtime
