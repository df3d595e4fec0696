#include "tuner/tuner_log.hpp"

#include <algorithm>
#include <utility>

#include "output/report.hpp"
#include "output/trace.hpp"
#include "tuner/tuner.hpp"

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

void TunerLog::write(const Record& record) const { note(settings_.trace, context_, record); }

const std::string& TunerLog::name(std::size_t candidate) const { return subject_.candidates[candidate].name; }

void TunerLog::history(const std::string& kind, const std::string& winner, const std::vector<std::string>& left_out,
                       const std::string& words) const {
  if (traces()) {
    write(HistoryRecord{subject_.id, mode_name(mode_), kind, winner, left_out, words});
  }
}

void TunerLog::measurement(const select::Ticket& ticket, double seconds, double left_s, std::int64_t request,
                           bool production, bool replaces) const {
  if (traces()) {
    write(MeasurementRecord{request, subject_.id, mode_name(mode_), ticket.start,
                            name(static_cast<std::size_t>(ticket.candidate)), std::max(ticket.slot, -1), seconds,
                            replaces, production, left_s});
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
      record.entries.push_back({name(i), numbers.mean_s, numbers.filtered_mean_s, numbers.outliers,
                                numbers.measurements, numbers.spread_s, known[i].judged_s, known[i].removed});
    }
  }
  write(record);
}

void TunerLog::decision(std::int64_t start, const select::Verdict& verdict, const std::string& reason,
                        const std::vector<select::Knowledge>& known, bool provisional, bool confirmed) const {
  if (!traces()) {
    return;
  }
  const auto winner = static_cast<std::size_t>(verdict.winner);
  DecisionRecord record;
  record.tuner = subject_.id;
  record.mode = mode_name(mode_);
  record.start = start;
  record.winner = name(winner);
  record.reason = reason;
  record.provisional = provisional;
  record.confirmed = confirmed;
  for (const int candidate : verdict.ties) {
    record.ties.push_back(name(static_cast<std::size_t>(candidate)));
  }
  record.winner_s = known[winner].judged_s;
  record.first = name(0);
  record.first_s = known.front().judged_s;
  record.cost = cost_;
  record.lost_s = cost_.lost_s(record.winner_s);
  write(record);
}

void TunerLog::drop(std::int64_t request, ModeCandidate candidate, const std::string& reason) const {
  if (traces()) {
    write(DropRecord{request, subject_.id, mode_name(mode_), name(place(candidate)), reason});
  }
}

void TunerLog::reopening(std::int64_t start, std::int64_t production, ModeCandidate winner, const std::string& reason) {
  ++reopened_;
  shown_.clear();
  if (traces()) {
    write(ReopeningRecord{subject_.id, mode_name(mode_), start, production, name(place(winner)), reason});
  }
}

void TunerLog::gain(std::int64_t start, ModeCandidate winner, const std::optional<select::Gain>& gain) const {
  if (traces() && gain.has_value()) {
    write(GainRecord{subject_.id, mode_name(mode_), start, name(place(winner)), name(0), gain->speedup, gain->low,
                     gain->high, gain->pairs});
  }
}

void TunerLog::end(std::int64_t starts, std::int64_t production) const {
  if (traces()) {
    write(EndRecord{subject_.id, mode_name(mode_), starts, production});
  }
}

void TunerLog::report(const Summary& summary) {
  reported_ = true;
  runtime::report(settings_.values.word("ADCL_REPORT"), context_.rank() == 0,
                  {subject_, mode_name(mode_), &summary.search, cost_, context_.size(), settings_.search,
                   summary.starts, summary.production, reopened_, summary.history, summary.objection, summary.gain});
}

}  // namespace adcl::runtime
