#include "runtime/fates.hpp"

#include <algorithm>
#include <utility>

#include "mpi/agreement.hpp"

namespace adcl::runtime {

bool Fates::is_last(ModeCandidate candidate) const {
  for (std::size_t i = 0; i < dropped_.size(); ++i) {
    if (i != place(candidate) && !dropped_[i].has_value()) {
      return false;
    }
  }
  return true;
}

bool Fates::has_alternative() const {
  return std::ranges::count_if(dropped_, [](const auto& reason) { return !reason.has_value(); }) > 1;
}

void Fates::fail(ModeCandidate candidate, const std::string& reason) {
  std::string& first = failed_[place(candidate)];
  first = first.empty() ? reason : first;
}

double Fates::flag() const {
  return std::ranges::all_of(failed_, [](const std::string& reason) { return reason.empty(); }) ? 0.0 : 1.0;
}

std::vector<std::string> Fates::share(mpi::Context& context) {
  auto reasons = mpi::share_texts(context, failed_);
  std::ranges::fill(failed_, std::string());
  return reasons;
}

void Fates::leave_to_timer() {
  failure_of_parts_ = true;
  std::ranges::fill(failed_, std::string());
}

bool Fates::take_failure_of_parts() noexcept { return std::exchange(failure_of_parts_, false); }

}  // namespace adcl::runtime
