// What a search tells: reports, traces, and the history of its decisions.
#include <algorithm>
#include <utility>

#include "runtime/emethod.hpp"
#include "runtime/report.hpp"
#include "runtime/trace.hpp"

namespace adcl::runtime {

void Emethod::report() {
  if (starts() > 0 && !reported_) {
    reported_ = true;
    if (!decided_ && provisional_ >= 0 && search_->provisional().has_value()) {
      keep(history::Outcome::decided);
    }
    if (!decided_ && provisional_ >= 0 && search_->provisional().has_value()) {
      note_verdict(*search_->provisional(), true, false);  // it has measured on since
    }
    if (settings_.trace != "off") {
      note(settings_.trace, context_, EndRecord{subject_.id, mode_name(mode_), starts(), production()});
    }
    runtime::report(settings_.report, context_.rank() == 0,
                    {subject_, mode_name(mode_), &*search_, cost_, context_.size(), settings_.search, starts(),
                     production(), reopened_, recollection_ != nullptr ? recollection_->words(mode_) : "", objection_,
                     comparison_ != nullptr ? comparison_->pairs.gain() : std::nullopt});
  }
}

void Emethod::note_measurement(const search::Ticket& ticket, double seconds, double left_s, std::int64_t request,
                               bool replaces) {
  if (settings_.trace != "off") {
    note(settings_.trace, context_,
         MeasurementRecord{request, subject_.id, mode_name(mode_), ticket.start,
                           subject_.candidates[static_cast<std::size_t>(ticket.candidate)].name,
                           std::max(ticket.slot, -1), seconds, replaces, decided_ || is_comparison(ticket), left_s});
  }
}

void Emethod::note_history(const std::string& kind, const std::string& winner,
                           const std::vector<std::string>& left_out) const {
  if (settings_.trace != "off") {
    note(settings_.trace, context_,
         HistoryRecord{subject_.id, mode_name(mode_), kind, winner, left_out,
                       recollection_ != nullptr ? recollection_->words(mode_) : ""});
  }
}

void Emethod::note_agreement() {
  if (settings_.trace == "off") {
    return;
  }
  noted_.resize(subject_.candidates.size());
  AgreementRecord record{subject_.id, mode_name(mode_), starts(), {}};
  for (std::size_t i = 0; i < subject_.candidates.size(); ++i) {
    const search::Knowledge& known = search_->knowledge()[i];
    Noted& noted = noted_[i];
    const Noted now{known.numbers.measurements, known.judged_s, !known.removed.empty()};
    if (known.numbers.measurements > 0 && now != noted) {
      noted = now;
      record.entries.push_back({subject_.candidates[i].name, known.numbers.mean_s, known.numbers.filtered_mean_s,
                                known.numbers.outliers, known.numbers.measurements, known.numbers.spread_s,
                                known.judged_s, known.removed});
    }
  }
  note(settings_.trace, context_, record);
}

void Emethod::note_decision() {
  const auto& verdict = search_->verdict();
  if (decided_) {
    return;
  }
  if (!verdict.has_value()) {
    note_provisional();
    return;
  }
  decided_ = true;
  if (intervals_ != nullptr) {
    intervals_->forget();
  }
  ++decisions_;
  lease_.renew();
  winner_ = ModeCandidate{verdict->winner};
  const bool confirmed = search_.confirms();
  keep(confirmed ? history::Outcome::confirmed : history::Outcome::decided);
  kept_ = false;
  provisional_ = -1;
  note_verdict(*verdict, false, confirmed);
  compare_with_first();
}

/// Each other winner once. In memory it is kept at the end: similar searches listen to this one, and it goes on.
void Emethod::note_provisional() {
  const auto& verdict = search_->provisional();
  if (!verdict.has_value()) {
    return;
  }
  winner_ = ModeCandidate{verdict->winner};
  compare_with_first();
  if (std::exchange(provisional_, verdict->winner) != verdict->winner) {
    if (recollection_ == nullptr || !recollection_->in_memory()) {
      keep(history::Outcome::decided);
    } else if (study_ != nullptr) {
      study_->over = true;
    }
    note_verdict(*verdict, true, false);
  }
}

/// In the history, and for the searches that wait for this one.
void Emethod::keep(history::Outcome outcome) {
  if (recollection_ != nullptr && cost_.starts > 0) {
    recollection_->keep(mode_, intervals_ != nullptr, subject_, *search_, kept_ ? history::Outcome::refined : outcome,
                        search_.guided());
    kept_ = true;
  }
  if (study_ != nullptr) {
    study_->over = true;  // after what it has found was stored
  }
}

void Emethod::note_verdict(const search::Verdict& verdict, bool provisional, bool confirmed) {
  if (settings_.trace == "off") {
    return;
  }
  const auto name = [this](int candidate) { return subject_.candidates[static_cast<std::size_t>(candidate)].name; };
  DecisionRecord record;
  record.emethod = subject_.id;
  record.mode = mode_name(mode_);
  record.start = starts();
  record.winner = name(verdict.winner);
  record.reason = verdict.reason + objection_;
  record.provisional = provisional;
  record.confirmed = confirmed;
  for (const int candidate : verdict.ties) {
    record.ties.push_back(name(candidate));
  }
  record.winner_s = search_->knowledge()[place(winner_)].judged_s;
  record.first = name(0);
  record.first_s = search_->knowledge().front().judged_s;
  record.cost = cost_;
  record.lost_s = cost_.lost_s(record.winner_s);
  note(settings_.trace, context_, record);
}

}  // namespace adcl::runtime
