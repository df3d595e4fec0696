// What similar problems tell a search before it begins, and waiting for those that are still searched for.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/tuner.hpp"

namespace adcl::runtime {
namespace {

/// Starts that a search waits for that of a similar problem: more than most take. One with expectations of its own does
/// not wait: it listens to what others measure while it runs.
constexpr int longest_wait = 1500;

}  // namespace

void Tuner::seek_advice() {
  if (recollection_ == nullptr || decided_) {
    return;
  }
  const Hint hint = recollection_->hint(context_, mode_, subject_, study_.get());
  if (study_ == nullptr) {
    study_ = recollection_->begin_study(context_, mode_, hint.near);
  }
  if (hint.relative.empty()) {
    teacher_ = search::find(settings_.search).uses_expectations ? nullptr : hint.teacher;
  } else {
    take(hint);
  }
  study_->waits = teacher_ != nullptr;
  note_decision();
}

/// A search of what the hint leaves takes the place of the one that has not begun.
void Tuner::take(const Hint& hint) {
  const bool leaves_out = search::field_of(hint.relative).size() < subject_.candidates.size();
  if (!leaves_out && !search::find(settings_.search).uses_expectations) {
    return;
  }
  auto search = std::make_unique<search::Guided>(
      subject_.candidates, hint.relative, hint.corrections,
      [this](std::vector<search::Candidate> candidates) { return new_search(std::move(candidates)); });
  drop_what_was_dropped(*search);
  search_ = CurrentSearch(std::move(search));
  std::vector<std::string> left_out;
  for (std::size_t i = 0; i < subject_.candidates.size(); ++i) {
    if (!std::isnan(search_.guided()->left_out(static_cast<int>(i)))) {
      left_out.push_back(subject_.candidates[i].name);
    }
  }
  note_history("similar problems", "", left_out);
}

/// Before the search takes what the ranks have agreed on: what similar ones have measured since.
void Tuner::listen() {
  if (study_ != nullptr && study_->has_news()) {
    const bool counts = search_->advise(study_->ask(subject_.candidates));
    const auto told = std::ranges::count_if(study_->peers, [](const Peer& peer) { return peer.heard > 0; });
    if (counts && recollection_->heard(mode_, static_cast<std::size_t>(told))) {
      note_history("similar searches", "", {});
    }
  }
}

/// For a teacher, which is asked when it has decided. All ranks wait equally many starts.
bool Tuner::still_waits() {
  if (teacher_ == nullptr) {
    return false;
  }
  if (teacher_->over || ++waited_ > longest_wait) {
    const bool told = teacher_->over;
    teacher_.reset();
    if (told) {
      seek_advice();
    } else {
      study_->waits = false;
    }
  }
  if (teacher_ != nullptr) {
    study_->leader = teacher_->leader;  // for those that wait for this one
  }
  return teacher_ != nullptr;
}

/// What leads there, without a measurement; where that cannot run, the candidate that is expected to be the fastest,
/// and where nothing is expected, the first that can run.
search::Ticket Tuner::while_waiting() const {
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < subject_.candidates.size(); ++i) {
    const search::Candidate& candidate = subject_.candidates[i];
    if (fates_.dropped(index_at<ModeCandidate>(i))) {
      continue;
    }
    if (candidate.name == teacher_->leader) {
      return {static_cast<int>(i), -1, starts()};
    }
    if (best < 0 || candidate.expected.log_time < least) {
      best = static_cast<int>(i);
      least = std::isfinite(candidate.expected.log_time) ? candidate.expected.log_time : least;
    }
  }
  return {best, -1, starts()};
}

}  // namespace adcl::runtime
