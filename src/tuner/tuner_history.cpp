#include "tuner/tuner_history.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/tuner.hpp"

namespace adcl::runtime {

Hint TunerHistory::seek(mpi::Context& context, const select::Subject& subject) {
  Hint hint = recollection_->hint(context, mode_, subject, study_.get());
  if (study_ == nullptr) {
    study_ = recollection_->begin_study(context, mode_, hint.near);
  }
  return hint;
}

void TunerHistory::set_waits(bool waits, const std::string& leader) {
  study_->waits = waits;
  if (waits) {
    study_->leader = leader;  // for searches that wait for this one
  }
}

bool TunerHistory::listen(select::Search& search, const select::Subject& subject) {
  if (study_ == nullptr || !study_->has_news()) {
    return false;
  }
  const bool counts = search.advise(study_->ask(subject.candidates));
  const auto told = std::ranges::count_if(study_->peers, [](const Peer& peer) { return peer.heard > 0; });
  return counts && recollection_->heard(mode_, static_cast<std::size_t>(told));
}

void TunerHistory::share(const select::Search& search, const select::Subject& subject) {
  if (study_ == nullptr) {
    return;
  }
  study_->findings->take(subject.candidates, search);
  const auto& known = search.knowledge();
  const auto best = std::ranges::min_element(known, {}, &select::Knowledge::judged_s);
  study_->leader = std::isfinite(best->judged_s)
                       ? subject.candidates[static_cast<std::size_t>(best - known.begin())].name
                       : std::string();
}

}  // namespace adcl::runtime
