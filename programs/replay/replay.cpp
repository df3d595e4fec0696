#include "replay.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "core/error.hpp"

namespace adcl::replay {
namespace {

constexpr const char* measurements_name = "ADCL_MEASUREMENTS";

void set_named(OptionValues& values, const std::vector<Option>& options,
               const std::map<std::string, std::string>& wanted) {
  for (const Option& option : options) {
    if (const auto found = wanted.find(option.name); found != wanted.end()) {
      values.set(option, found->second);
    }
  }
}

OptionValues values_of(const Setup& setup) {
  auto wanted = setup.options;
  wanted[measurements_name] = std::to_string(setup.measurements);
  OptionValues values(setup.logic->options);
  values.add(setup.method->options);
  set_named(values, setup.logic->options, wanted);
  set_named(values, setup.method->options, wanted);
  return values;
}

/// Combines the values of the ranks by their maximum, element by element.
void take_maxima(std::vector<double>& combined, const std::vector<double>& of_rank) {
  if (combined.empty()) {
    combined = of_rank;
    return;
  }
  std::transform(combined.begin(), combined.end(), of_rank.begin(), combined.begin(),
                 [](double one, double other) { return std::max(one, other); });
}

/// One search that represents the searches of all ranks. The searches of the ranks differ only in the times of the
/// current batch: to get the report of a rank, record that rank's times in place of the times recorded before.
class Run {
 public:
  Run(const Recording& recording, const Setup& setup)
      : recording_(recording), setup_(setup), places_(recording.candidates.size()), read_(recording.candidates.size()) {
    select::Parameters parameters;
    parameters.estimator = setup.method;
    parameters.options = values_of(setup);
    search_ = setup.logic->make(recording.candidates, recording.attributes, parameters);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      places_[i] = static_cast<std::size_t>(setup.begin * static_cast<double>(recording.times[i].starts()));
      means_.push_back(mean_of_slowest(recording.times[i]));
    }
  }

  Outcome result() {
    while (!search_->verdict().has_value() && starts_ < setup_.starts && !ended_) {
      if (search_->ready()) {
        agree();
      } else {
        start(search_->next());
      }
    }
    if (const auto& verdict = select::standing(*search_); verdict.has_value()) {
      outcome_.winner = verdict->winner;
      outcome_.reason = verdict->reason;
      outcome_.ties = verdict->ties;
    }
    return outcome_;
  }

 private:
  struct Start {
    select::Ticket ticket;
    std::size_t place = 0;  ///< index of the recorded time; unused without a slot
  };

  static double slowest(const Times& times, std::size_t place) {
    double longest = 0.0;
    for (const auto& rank : times.of_rank) {
      longest = std::max(longest, rank[place]);
    }
    return longest;
  }

  static double mean_of_slowest(const Times& times) {
    double sum = 0.0;
    for (std::size_t place = 0; place < times.starts(); ++place) {
      sum += slowest(times, place);
    }
    return sum / static_cast<double>(times.starts());
  }

  void start(const select::Ticket& ticket) {
    const auto candidate = static_cast<std::size_t>(ticket.candidate);
    const Times& times = recording_.times[candidate];
    ++starts_;
    if (ticket.slot < 0) {
      const int resting = search_->skip();
      starts_ += resting;
      seconds_ += (1 + resting) * means_[candidate];
      if (resting == 0) {
        batch_.push_back({ticket, 0});  // otherwise the start is not timed, as in a program
      }
      return;
    }
    if (read_[candidate] >= times.starts() && select::standing(*search_).has_value()) {
      ended_ = true;
      return;
    }
    const std::size_t place = places_[candidate]++ % times.starts();
    ++outcome_.measurements;
    outcome_.reused += read_[candidate]++ >= times.starts() ? 1 : 0;
    seconds_ += slowest(times, place);
    batch_.push_back({ticket, place});
  }

  [[nodiscard]] double seconds(const Start& start, std::size_t rank) const {
    const auto candidate = static_cast<std::size_t>(start.ticket.candidate);
    return start.ticket.slot < 0 ? means_[candidate] : recording_.times[candidate].of_rank[rank][start.place];
  }

  /// Reduces the numbers of all ranks for the batch; one start passes until the result is available.
  void agree() {
    std::vector<double> combined;
    for (std::size_t rank = 0; rank < recording_.ranks(); ++rank) {
      for (const Start& start : batch_) {
        const double before = rank == 0 ? 0.0 : seconds(start, rank - 1);
        search_->record(start.ticket, seconds(start, rank));
        search_->spend(start.ticket.candidate, seconds(start, rank) - before);
      }
      take_maxima(combined, search_->pending());
    }
    const select::Ticket waiting = search_->next();
    outcome_.seconds = seconds_ += means_[static_cast<std::size_t>(waiting.candidate)];
    outcome_.starts = ++starts_;
    batch_.clear();
    search_->absorb(combined);
  }

  const Recording& recording_;
  const Setup& setup_;
  std::unique_ptr<select::Search> search_;
  std::vector<std::size_t> places_;  ///< the next recorded time of each candidate
  std::vector<std::size_t> read_;    ///< number of recorded times read
  std::vector<double> means_;
  std::vector<Start> batch_;
  long long starts_ = 0;
  double seconds_ = 0.0;
  bool ended_ = false;  ///< the recording is over, and there is a provisional winner
  Outcome outcome_;
};

}  // namespace

void check(const Recording& recording) {
  require(!recording.candidates.empty(), Code::argument, "the recording has no candidates");
  require(recording.ranks() > 0, Code::argument, "the recording has no ranks");
  for (std::size_t i = 0; i < recording.candidates.size(); ++i) {
    const Times& times = recording.times[i];
    const bool alike = times.of_rank.size() == recording.ranks() &&
                       std::all_of(times.of_rank.begin(), times.of_rank.end(),
                                   [&](const auto& rank) { return rank.size() == times.starts(); });
    require(alike && times.starts() > 0, Code::argument, "'", recording.candidates[i].name,
            "' must have the same number of times on each of the ", recording.ranks(), " ranks, at least one");
  }
}

Outcome replay(const Recording& recording, const Setup& setup) { return Run(recording, setup).result(); }

std::vector<double> judged(const Recording& recording, const measure::Estimator& method,
                           const std::map<std::string, std::string>& options) {
  OptionValues values(method.options);
  set_named(values, method.options, options);
  std::vector<double> result;
  for (const Times& times : recording.times) {
    measure::Numbers combined;
    for (const auto& rank : times.of_rank) {
      const measure::Numbers numbers = method.summarize(rank, values);
      combined.mean_s = std::max(combined.mean_s, numbers.mean_s);
      combined.filtered_mean_s = std::max(combined.filtered_mean_s, numbers.filtered_mean_s);
      combined.outliers = std::max(combined.outliers, numbers.outliers);
      combined.measurements = numbers.measurements;
      combined.spread_s = std::max(combined.spread_s, numbers.spread_s);
    }
    result.push_back(method.judge(combined, values));
  }
  return result;
}

}  // namespace adcl::replay
