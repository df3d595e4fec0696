#include "tuner/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace adcl::runtime {

namespace {

constexpr double outlier_ratio = 3.0;       ///< relative to the larger of the median and the codelet's minimum
constexpr double new_codelet_ratio = 10.0;  ///< relative to the median, for a new codelet
constexpr std::size_t min_values = 4;       ///< values for a meaningful median
constexpr std::size_t min_changes = 8;      ///< changes, for irregularity()
constexpr std::size_t max_members = 32;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

void RecentValues::add(double value) {
  values_.at(next_) = value;
  next_ = (next_ + 1) % most;
  count_ = std::min(count_ + 1, most);
}

double RecentValues::quantile(double part) const {
  std::array<double, most> sorted = values_;
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(count_ - 1));
  std::nth_element(sorted.begin(), place, end);
  return *place;
}

void UsualValues::add_infinite_change() { changes_.add(infinity); }

double UsualValues::bounded(int codelet, double value) {
  const auto place = static_cast<std::size_t>(std::max(codelet, 0));
  own_.resize(std::max(own_.size(), place + 1));
  Own& own = own_[place];
  double result = value;
  if (values_.count() >= min_values) {
    const double usual = std::max(values_.quantile(0.5), own.known ? own.least : 0.0);
    result = value > (own.known ? outlier_ratio : new_codelet_ratio) * usual ? usual : value;
  }
  if (own.known) {
    changes_.add(std::abs(value - own.last));
  }
  values_.add(value);
  own = {own.known ? std::min(own.least, value) : value, value, true};
  return result;
}

std::optional<Intervals::Measurement> Intervals::start(std::int64_t request, const Clock& clock) {
  const bool again = std::find(members_.begin(), members_.end(), request) != members_.end();
  joins_ = !members_.empty() && !again && members_.size() < max_members;
  if (joins_) {
    members_.push_back(request);
    return std::nullopt;
  }
  auto ended = members_.empty() ? std::nullopt : end(clock, members_.front() == request);
  members_ = {request};
  leader_complete_ = false;
  valid_ = true;
  begin_ = clock;
  own_s_ = 0.0;
  return ended;
}

std::optional<Intervals::Measurement> Intervals::end(const Clock& clock, bool by_leader) {
  if (!by_leader) {
    outside_.add_infinite_change();
  }
  if (!leader_complete_) {
    return std::nullopt;
  }
  if (!by_leader || !valid_) {
    return Measurement{ticket_, members_.front(), own_s_, false};
  }
  const double operations_s = clock.operations_s - begin_.operations_s;
  const double whole_s = clock.now_s - begin_.now_s - (clock.preparation_s - begin_.preparation_s);
  const double others_s = std::max(0.0, operations_s - own_s_);
  const double outside_s = std::max(0.0, whole_s - std::max(operations_s, own_s_));
  whole_.add(whole_s);
  const double between_s =
      outside_.bounded(ticket_.candidate, outside_s) + others_.bounded(ticket_.candidate, others_s);
  return Measurement{ticket_, members_.front(), own_s_ + between_s, true};
}

bool Intervals::record_time(const select::Ticket& ticket, double seconds) {
  if (members_.empty()) {
    return false;
  }
  if (members_.size() == 1) {
    ticket_ = ticket;
    leader_complete_ = true;
  }
  own_s_ += seconds;
  return true;
}

bool Intervals::replace(const select::Ticket& ticket) {
  const bool found = !members_.empty() && leader_complete_ && ticket_.slot == ticket.slot && ticket.slot >= 0;
  leader_complete_ = leader_complete_ && !found;
  return found;
}

double Intervals::irregularity() const {
  if (outside_.changes().count() < min_changes) {
    return 0.0;
  }
  const double change_s = outside_.changes().quantile(0.5);
  if (whole_.count() == 0 || !(change_s < infinity)) {
    return infinity;
  }
  return change_s / std::max(whole_.quantile(0.5), std::numeric_limits<double>::min());
}

}  // namespace adcl::runtime
