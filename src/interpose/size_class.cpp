#include "interpose/size_class.hpp"

#include <algorithm>
#include <utility>

namespace adcl::interpose {
namespace {

/// Largest number of calls until the next agreement, relative to the calls so far.
constexpr std::int64_t most_growth = 16;
/// Number of the class's calls after which a size that searches may be rare.
constexpr std::int64_t rarity_window = 1024;
/// After a winner, the budget for a size's own calls times this factor must cover its request.
constexpr double own_share_factor = 10.0;
/// A size is rare if its share of the calls is less than the mean share of a size divided by this number.
constexpr std::int64_t rarity_divisor = 8;

}  // namespace

SizeClass::SizeClass(std::int64_t bytes)
    : first_(bytes > 0 && bytes <= largest_small_bytes ? first_checkpoint_of_small : first_checkpoint),
      checkpoint_(first_) {}

void SizeClass::enter(std::int64_t calls) {
  ++waiting_.sizes;
  waiting_.calls += calls;
}

void SizeClass::leave(std::int64_t calls) {
  --waiting_.sizes;
  waiting_.calls -= calls;
}

void SizeClass::count(const Search* size, std::int64_t calls, bool waiting) {
  calls_ += calls;
  waiting_.calls += waiting ? calls : 0;
  searcher_.calls += size == searcher_.size ? calls : 0;
}

void SizeClass::sample(double seconds) {
  samples_.seconds += seconds;
  ++samples_.number;
}

double SizeClass::mean_of_samples() const noexcept {
  return samples_.number > 0 ? samples_.seconds / samples_.number : 0.0;
}

/// The number of samples is the same on all ranks.
void SizeClass::agree(double native_s) {
  if (samples_.number >= fewest_samples) {
    time_.native_s = native_s;
    samples_ = {};
  }
  time_.total_s += static_cast<double>(calls_ - time_.up_to_call) * time_.native_s;
  time_.up_to_call = calls_;
  if (calls_ >= checkpoint_) {
    const double missing_s = spent_s_ + creation_s - budget_ * time_.total_s;
    const auto missing_calls = static_cast<double>(calls_that_pay(missing_s, budget_, time_.native_s));
    checkpoint_ = calls_ + static_cast<std::int64_t>(std::clamp(missing_calls, static_cast<double>(calls_),
                                                                static_cast<double>(most_growth * calls_)));
  }
}

void SizeClass::defer() noexcept { deferred_until_ = 2 * calls_; }

void SizeClass::begin(Search* size, std::int64_t calls) {
  leave(calls);
  if (verdict_ == Verdict::open) {
    verdict_ = Verdict::searching;
    searcher_ = {size, 0, calls_};
  }
}

void SizeClass::suggest(std::string winner) {
  if (verdict_ == Verdict::open) {
    suggestion_ = std::move(winner);
  }
}

void SizeClass::win(const std::string& winner) {
  ++proofs_.successful;
  if (verdict_ == Verdict::searching) {
    verdict_ = Verdict::won;
    candidate_ = winner;
    searcher_ = {};
  }
}

bool SizeClass::refuse(const Search* size, const std::string& candidate, const std::string& reason) {
  if (size == searcher_.size && !suggestion_.empty()) {
    suggestion_.clear();
    stop(size);
    return false;
  }
  ++proofs_.refused;
  if (size == searcher_.size || proofs_.refused > proofs_.successful + 1) {
    reject(candidate, reason);
  }
  return true;
}

void SizeClass::withdraw(const std::string& reason) {
  ++proofs_.withdrawn;
  if (proofs_.withdrawn >= proofs_.successful) {
    reject(candidate_, reason);
  }
}

void SizeClass::reject(const std::string& candidate, const std::string& reason) {
  verdict_ = Verdict::rejected;
  candidate_ = candidate;
  reason_ = reason;
  searcher_ = {};
}

void SizeClass::stop(const Search* size) noexcept {
  if (size == searcher_.size) {
    verdict_ = Verdict::open;
    searcher_ = {};
  }
}

SizeClass::Step SizeClass::step(std::int64_t calls) {
  if (verdict_ == Verdict::rejected) {
    return Step::keep_native;
  }
  if (calls_ >= checkpoint_) {
    return Step::agree;
  }
  if (!may_begin(calls)) {
    return verdict_ == Verdict::searching && pays(calls) && searcher_is_rare() ? Step::take_over : Step::wait;
  }
  return Step::agree;
}

bool SizeClass::pays(std::int64_t calls, double more_s) const {
  return calls_ >= deferred_until_ && covers(spent_s_ + creation_s + more_s) &&
         calls * waiting_.sizes >= waiting_.calls;
}

/// The winner of the first search also serves the other sizes, so the budget of the whole class pays for this search.
/// After that, a size may begin only if its own calls also pay for creating its request.
bool SizeClass::may_begin(std::int64_t calls, double more_s) const {
  if (verdict_ == Verdict::won) {
    return pays(calls, more_s) &&
           static_cast<double>(calls) * time_.native_s * budget_ * own_share_factor >= creation_s;
  }
  return verdict_ == Verdict::open && pays(calls, more_s);
}

bool SizeClass::searcher_is_rare() {
  const std::int64_t window = calls_ - searcher_.since;
  if (window < rarity_window) {
    return false;
  }
  if (searcher_.calls * rarity_divisor * (waiting_.sizes + 1) < window) {
    return true;
  }
  searcher_.calls = 0;
  searcher_.since = calls_;
  return false;
}

const std::string& SizeClass::suggestion() const noexcept {
  return verdict_ == Verdict::won ? candidate_ : suggestion_;
}

/// Time in all calls, as if all of them were the MPI library's.
double SizeClass::time_s() const {
  return time_.total_s + static_cast<double>(calls_ - time_.up_to_call) * time_.native_s;
}

bool SizeClass::covers(double seconds) const { return time_s() > 0.0 && seconds <= budget_ * time_s(); }

std::int64_t SizeClass::calls_until_paid(std::int64_t calls) const {
  if (paid()) {
    return 0;
  }
  const std::int64_t missing = calls_that_pay(spent_s_ - budget_ * time_s(), budget_, time_.native_s);
  const double share =
      std::min(1.0, static_cast<double>(calls) / static_cast<double>(std::max<std::int64_t>(calls_, 1)));
  return calls_of(static_cast<double>(missing) * share, 1);
}

bool SizeClass::times_all() const noexcept { return calls_ < first_ && first_ == first_checkpoint; }

}  // namespace adcl::interpose
