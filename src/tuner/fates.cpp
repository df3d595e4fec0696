#include "tuner/fates.hpp"

#include <utility>

#include "mpi/agreement.hpp"

namespace adcl::runtime {

bool Fates::is_last(ModeCandidate candidate) const {
  return dropped_.size() + (dropped(candidate) ? 0U : 1U) == candidates_;
}

bool Fates::has_alternative() const { return dropped_.size() + 1 < candidates_; }

void Fates::fail(ModeCandidate candidate, const std::string& reason) { failed_.try_emplace(candidate, reason); }

double Fates::flag() const { return failed_.empty() ? 0.0 : 1.0; }

std::vector<std::string> Fates::share(mpi::Context& context) {
  std::vector<std::string> reasons(candidates_);
  for (const auto& [candidate, reason] : failed_) {
    reasons[place(candidate)] = reason;
  }
  failed_.clear();
  return mpi::share_texts(context, reasons);
}

void Fates::leave_to_timer() {
  failure_of_parts_ = true;
  failed_.clear();
}

bool Fates::take_failure_of_parts() noexcept { return std::exchange(failure_of_parts_, false); }

}  // namespace adcl::runtime
