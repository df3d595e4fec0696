#include "tuner/tuner_log.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "output/trace.hpp"

namespace adcl::runtime {

void TunerLog::spend(const select::Ticket& ticket, double seconds) {
  ++cost_.starts;
  cost_.operations_s += seconds;
  spent_slot_ = ticket.slot;
  spent_s_ = seconds;
}

double TunerLog::correct(const select::Ticket& ticket, double seconds) {
  if (ticket.slot != spent_slot_) {
    return 0.0;
  }
  const double difference = seconds - std::exchange(spent_s_, seconds);
  cost_.operations_s += difference;
  return difference;
}

void TunerLog::write(const Record& record) const { write_trace(settings_.trace, context_, record); }

void TunerLog::measurement(const select::Ticket& ticket, double seconds, double left_s, std::int64_t request,
                           bool production, bool replaces) const {
  if (traces()) {
    write(MeasurementRecord{request, subject_.id, mode_name(mode_), ticket.start, name(ticket.candidate),
                            std::max(ticket.slot, -1), seconds, replaces, production, left_s});
  }
}

void TunerLog::agreement(std::int64_t start, const std::vector<select::Knowledge>& known) {
  if (!traces()) {
    return;
  }
  shown_.resize(known.size());
  AgreementRecord record{subject_.id, mode_name(mode_), start, {}};
  for (std::size_t i = 0; i < known.size(); ++i) {
    const measure::Numbers& numbers = known[i].numbers;
    const Shown now{numbers.measurements, known[i].judged_s, !known[i].removed.empty()};
    if (numbers.measurements > 0 && now != shown_[i]) {
      shown_[i] = now;
      record.entries.push_back({subject_.candidates[i].name, numbers.mean_s, numbers.filtered_mean_s, numbers.outliers,
                                numbers.measurements, numbers.spread_s, known[i].judged_s, known[i].removed});
    }
  }
  write(record);
}

void TunerLog::decision(std::int64_t start, const select::Verdict& verdict, const std::string& reason,
                        const std::vector<select::Knowledge>& known, bool provisional, bool confirmed) const {
  std::vector<std::string> ties;
  std::ranges::transform(verdict.ties, std::back_inserter(ties), [this](int candidate) { return name(candidate); });
  const double winner_s = known[static_cast<std::size_t>(verdict.winner)].judged_s;
  write(DecisionRecord{.tuner = subject_.id,
                       .mode = mode_name(mode_),
                       .start = start,
                       .winner = name(verdict.winner),
                       .reason = reason,
                       .ties = std::move(ties),
                       .winner_s = winner_s,
                       .first = name(0),
                       .first_s = known.front().judged_s,
                       .cost = cost_,
                       .lost_s = cost_.lost_s(winner_s),
                       .provisional = provisional,
                       .confirmed = confirmed});
}

void TunerLog::drop(std::int64_t request, ModeCandidate candidate, const std::string& reason) const {
  write(DropRecord{request, subject_.id, mode_name(mode_), name(static_cast<int>(candidate)), reason});
}

void TunerLog::reopening(std::int64_t start, std::int64_t production, ModeCandidate winner, const std::string& reason) {
  ++reopened_;
  begin_search();
  write(ReopeningRecord{subject_.id, mode_name(mode_), start, production, name(static_cast<int>(winner)), reason});
}

void TunerLog::report(const select::Search& search, std::int64_t starts, std::int64_t production,
                      const std::string& history, const std::string& remark, const std::optional<select::Gain>& gain) {
  reported_ = true;
  const std::string& destination = settings_.values.word("ADCL_REPORT");
  if (context_.rank() == 0 && destination != "off") {
    report_line(destination, render({subject_, mode_name(mode_), &search, cost_, context_.size(), settings_.search,
                                     starts, production, reopened_, history, remark, gain}));
  }
}

}  // namespace adcl::runtime
