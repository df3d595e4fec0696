// Decisions: what follows from one, and what the trace, the report and the history have of it.
#include <utility>

#include "runtime/emethod.hpp"

namespace adcl::runtime {

void Emethod::report() {
  if (starts() == 0 || log_.reported()) {
    return;
  }
  if (!decided_ && provisional_ >= 0 && search_->provisional().has_value()) {
    keep(history::Outcome::decided);
    note_verdict(*search_->provisional(), true, false);  // it has measured on since
  }
  log_.end(starts(), production());
  log_.report({*search_, starts(), production(), words_of_history(), objection_, gain()});
}

std::string Emethod::words_of_history() const { return recollection_ != nullptr ? recollection_->words(mode_) : ""; }

void Emethod::note_history(const std::string& kind, const std::string& winner,
                           const std::vector<std::string>& left_out) const {
  log_.history(kind, winner, left_out, words_of_history());
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
  if (recollection_ != nullptr && log_.cost().starts > 0) {
    recollection_->keep(mode_, intervals_ != nullptr, subject_, *search_, kept_ ? history::Outcome::refined : outcome,
                        search_.guided());
    kept_ = true;
  }
  if (study_ != nullptr) {
    study_->over = true;  // after what it has found was stored
  }
}

void Emethod::note_verdict(const search::Verdict& verdict, bool provisional, bool confirmed) const {
  log_.decision(starts(), verdict, search_->knowledge(), objection_, provisional, confirmed);
}

}  // namespace adcl::runtime
