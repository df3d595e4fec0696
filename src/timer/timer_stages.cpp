// A stage of a timer: the combinations that its search compares, and their results.
#include <memory>
#include <utility>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "output/trace.hpp"
#include "timer/timer.hpp"
#include "timer/timer_parts.hpp"

namespace adcl::runtime {

std::string Timer::name_of(const std::vector<int>& choice) const {
  if (stage_.combinations.by_coordinate()) {
    const std::size_t c = stage_.combinations.coordinate();
    return coordinates_[c]->subject().candidates[static_cast<std::size_t>(choice[c])].name;
  }
  std::string name;
  for (std::size_t c = 0; c < choice.size(); ++c) {
    name += (c == 0 ? "" : "+") + coordinates_[c]->subject().candidates[static_cast<std::size_t>(choice[c])].name;
  }
  return name;
}

/// The candidates of the search are the choices of the stage; their attributes are those of the coordinates that vary.
void Timer::begin_stage() {
  select::Subject subject;
  subject.id = context_->next_id();
  subject.function_set = "timer";
  AttributeSet attributes;
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    const select::Subject& part = coordinates_[c]->subject();
    const bool varies = !stage_.combinations.by_coordinate() || c == stage_.combinations.coordinate();
    subject.fallible = subject.fallible || part.fallible;
    subject.problem += (c == 0 ? "" : "; ") + text(part.function_set, " #", part.id, " used by ",
                                                   mode_name(coordinates_[c]->mode()), varies ? "" : ", as before");
    if (varies && part.attributes != nullptr) {
      attributes.insert(attributes.end(), part.attributes->begin(), part.attributes->end());
    }
  }
  subject.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
  std::vector<std::string> names;
  for (const auto& choice : stage_.combinations.choices()) {
    select::Candidate candidate{name_of(choice), {}};
    for (std::size_t c = 0; c < choice.size(); ++c) {
      if (!stage_.combinations.by_coordinate() || c == stage_.combinations.coordinate()) {
        const auto& values = coordinates_[c]->subject().candidates[static_cast<std::size_t>(choice[c])].attributes;
        candidate.attributes.insert(candidate.attributes.end(), values.begin(), values.end());
      }
    }
    names.push_back(candidate.name);
    subject.candidates.push_back(std::move(candidate));
  }
  note(settings_->trace, *context_,
       RequestRecord{subject.id,
                     subject.id,
                     context_->size(),
                     false,
                     subject.function_set,
                     subject.problem,
                     {},
                     names,
                     {},
                     {},
                     settings_->search,
                     settings_->outliers,
                     settings_->search_options});
  stage_.dropped.assign(names.size(), false);
  begin_search_of(std::move(subject));
  for (Part* part : coordinates_) {
    for (int candidate = 0; candidate < part->size(); ++candidate) {
      if (!part->failure(candidate).empty()) {
        drop(*part, candidate, part->failure(candidate));
      }
    }
  }
}

/// Verifies stored results about the same requests with the same timing. By coordinate, the fixed choices are part of
/// the problem.
void Timer::begin_search_of(select::Subject subject) {
  Hash identity;
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    const Part& part = *coordinates_[c];
    const bool varies = !stage_.combinations.by_coordinate() || c == stage_.combinations.coordinate();
    const int fixed = stage_.combinations.choices().front()[c];
    identity.add(part.subject().function_set).add(part.identity()).add(static_cast<std::uint64_t>(part.mode()));
    identity.add(varies ? "" : part.subject().candidates[static_cast<std::size_t>(fixed)].name);
  }
  const bool remembers = settings_->merge_requests && select::find(settings_->search).uses_expectations;
  const auto history = ProblemHistory::of(*context_, settings_, subject, {}, identity.value(), nullptr, remembers);
  stage_.search = std::make_unique<Tuner>(*context_, std::move(subject), settings_, Mode::timed, history);
  if (const Prior* prior = history != nullptr ? history->prior(Mode::timed) : nullptr) {
    stage_.search->note_history("same problem", stage_.search->subject().candidates[place(prior->winner)].name, {});
    stage_.search->prime(prior->known, Trust::verify, static_cast<int>(prior->winner));
  }
}

}  // namespace adcl::runtime
