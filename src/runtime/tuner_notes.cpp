// Decisions: what follows from one, and what the trace, the report and the history have of it.
#include "runtime/tuner.hpp"

namespace adcl::runtime {

void Tuner::report() {
  if (starts() == 0 || log_.reported()) {
    return;
  }
  if (!decided_ && leader_.stands() && search_->provisional().has_value()) {
    keep(history::Outcome::decided);
    note_verdict(*search_->provisional(), true, false);  // it has measured on since
  }
  log_.end(starts(), production());
  log_.report({*search_, starts(), production(), words_of_history(), timing_.objection(), leader_.gain()});
}

std::string Tuner::words_of_history() const { return recollection_ != nullptr ? recollection_->words(mode_) : ""; }

void Tuner::note_history(const std::string& kind, const std::string& winner,
                         const std::vector<std::string>& left_out) const {
  log_.history(kind, winner, left_out, words_of_history());
}

void Tuner::note_decision() {
  const auto& verdict = search_->verdict();
  if (decided_) {
    return;
  }
  if (!verdict.has_value()) {
    note_provisional();
    return;
  }
  decided_ = true;
  if (Intervals* intervals = timing_.intervals()) {
    intervals->forget();
  }
  ++decisions_;
  lease_.renew();
  leader_.lead(ModeCandidate{verdict->winner});
  const bool confirmed = search_.confirms();
  keep(confirmed ? history::Outcome::confirmed : history::Outcome::decided);
  note_verdict(*verdict, false, confirmed);
  compare_with_first();
}

/// Each other winner once. In memory it is kept at the end: similar searches listen to this one, and it goes on.
void Tuner::note_provisional() {
  const auto& verdict = search_->provisional();
  if (!verdict.has_value()) {
    return;
  }
  const bool another = leader_.lead(ModeCandidate{verdict->winner});
  compare_with_first();
  if (another) {
    if (recollection_ == nullptr || !recollection_->in_memory()) {
      keep(history::Outcome::decided);
    } else if (study_ != nullptr) {
      study_->over = true;
    }
    note_verdict(*verdict, true, false);
  }
}

/// In the history, and for the searches that wait for this one.
void Tuner::keep(history::Outcome outcome) {
  if (recollection_ != nullptr && log_.cost().starts > 0) {
    recollection_->keep(mode_, timing_.intervals() != nullptr, subject_, *search_,
                        leader_.stored() ? history::Outcome::refined : outcome, search_.guided());
    leader_.set_stored();
  }
  if (study_ != nullptr) {
    study_->over = true;  // after what it has found was stored
  }
}

void Tuner::note_verdict(const search::Verdict& verdict, bool provisional, bool confirmed) const {
  log_.decision(starts(), verdict, search_->knowledge(), timing_.objection(), provisional, confirmed);
}

}  // namespace adcl::runtime
