#include "tuner/recollection.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include "core/elementary.hpp"
#include "core/error.hpp"
#include "mpi/agreement.hpp"
#include "output/report.hpp"
#include "tuner/tuner.hpp"

namespace adcl::runtime {
namespace {

/// Largest relative time that is stored for a candidate that advice has ruled out.
constexpr double ruled_out = 16.0;
/// Similar searches under way that a new one exchanges measurements with.
constexpr std::size_t most_near = 4;

/// Reports each problem once, even if many requests have it.
void say(const Settings& settings, const std::string& trouble) {
  static std::mutex mutex;
  static std::set<std::string> said;
  if (trouble.empty()) {
    return;
  }
  {
    const std::scoped_lock lock(mutex);
    if (!said.insert(trouble).second) {
      return;
    }
  }
  report_line(settings.values.word("ADCL_REPORT"), "ADCL_HISTORY: " + trouble);
}

Prior prior_of(const history::Decision& decision, const std::vector<select::Candidate>& candidates) {
  Prior prior;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto known = std::find_if(decision.estimates.begin(), decision.estimates.end(),
                                    [&](const auto& estimate) { return estimate.codelet == candidates[i].name; });
    prior.known.push_back(known != decision.estimates.end() ? select::as_prior({known->numbers, known->judged_s, ""})
                                                            : measure::Numbers{});
    if (candidates[i].name == decision.winner) {
      prior.winner = index_at<Candidate>(i);
    }
  }
  return prior;
}

/// Logarithm of how much longer than expected an untried candidate is estimated to take, relative to the winner; 0 if
/// an estimate or an expectation is missing.
double correction(const select::Subject& subject, const select::Search& search, int winner, std::size_t candidate,
                  double winner_s) {
  const double believed = search.believed(static_cast<int>(candidate)) - logarithm(winner_s);
  const double expected = subject.candidates[candidate].expected.log_time -
                          subject.candidates.at(static_cast<std::size_t>(winner)).expected.log_time;
  return std::isfinite(believed - expected) ? believed - expected : 0.0;
}

/// The number of the study to wait for, or 0. A running study decides before a waiting one, even if that is nearer.
std::int64_t teacher_of(std::span<const Studies::Near> similar) {
  std::int64_t number = 0;
  for (const bool waits : {true, false}) {
    const auto found = std::ranges::find_if(
        similar, [waits](const Studies::Near& near) { return !near.first->over && near.first->waits == waits; });
    number = found != similar.end() ? found->first->number : number;
  }
  return number;
}

std::string times(std::int64_t count) { return text(count, count == 1 ? " time" : " times"); }

}  // namespace

std::shared_ptr<Recollection> Recollection::of(mpi::Context& context, std::shared_ptr<const Settings> settings,
                                               const select::Subject& subject, Features features,
                                               std::uint64_t signatures, history::Similarity similarity,
                                               bool remembers) {
  const std::string& where = settings->values.word("ADCL_HISTORY");
  const bool in_memory = where == "memory";
  if (where == "off" || (in_memory && !remembers)) {
    return nullptr;
  }
  std::shared_ptr<Recollection> made(new Recollection(std::move(settings), std::move(similarity)));
  if (in_memory) {
    auto& memory = context.state<std::shared_ptr<history::Memory>>();
    memory = memory != nullptr ? memory : std::make_shared<history::Memory>();
    made->memory_ = memory;
  }
  made->writes_ = in_memory || context.rank() == 0;
  if (made->writes_) {
    // The other ranks are about to enter the broadcast: if anything fails here, no results are known.
    const auto failure = mpi::error_of([&] { made->look(subject, std::move(features), signatures); });
    if (failure.has_value()) {
      made->priors_ = {};
      say(*made->settings_, failure->what());
    }
  }
  if (!in_memory) {
    made->share(context, subject.candidates.size());
  }
  return made;
}

/// Modes have separate keys if an option gives them other candidates, or if they have other times.
std::string Recollection::key(Mode mode, bool intervals) const {
  const bool split = mode == Mode::split || mode == Mode::split_with;
  return text(mode_name(mode), split && settings_->overlap_blocking ? ", blocking ones too" : "",
              intervals ? ", from start to start" : "");
}

history::Found Recollection::found() const {
  if (memory_ != nullptr) {
    return {memory_->find(entry_.identity, settings_->decision_hash), ""};
  }
  return history::find(folder(), entry_.identity);
}

std::vector<std::shared_ptr<const history::Entry>> Recollection::all_of(const std::string& function_set) const {
  return memory_ != nullptr ? memory_->all_of(function_set, settings_->decision_hash)
                            : history::all_of(folder(), function_set);
}

/// Location of results, for reports.
std::string Recollection::place_of(const std::string& file) const {
  return memory_ != nullptr ? "earlier in this run" : folder() + "/" + file;
}

void Recollection::look(const select::Subject& subject, Features features, std::uint64_t signatures) {
  entry_.identity = {subject.function_set, signatures, history::processor(), settings_->timing == Timing::barrier, {}};
  std::transform(subject.candidates.begin(), subject.candidates.end(), std::back_inserter(entry_.identity.candidates),
                 [](const select::Candidate& candidate) { return candidate.name; });
  entry_.problem = subject.problem;
  entry_.features = std::move(features);
  auto known = found();
  say(*settings_, known.trouble);
  if (!known.entry.has_value()) {
    return;
  }
  entry_.decisions = std::move(known.entry->decisions);
  for (std::size_t m = 0; m < searched_count; ++m) {
    const auto decision = entry_.decisions.find(key(static_cast<Mode>(m)));
    if (decision != entry_.decisions.end()) {
      priors_.at(m) = prior_of(decision->second, subject.candidates);
    }
  }
}

/// Broadcasts what rank 0 has read, as equally many numbers on all ranks: per mode the winner, or -1, and the numbers
/// of each candidate.
void Recollection::share(mpi::Context& context, std::size_t candidates) {
  constexpr std::size_t per_candidate = 5;
  std::vector<double> values;
  for (const auto& prior : priors_) {
    values.push_back(prior.has_value() ? static_cast<double>(static_cast<int>(prior->winner)) : -1.0);
    for (std::size_t i = 0; i < candidates; ++i) {
      const measure::Numbers n = prior.has_value() ? prior->known[i] : measure::Numbers{};
      values.insert(values.end(), {n.mean_s, n.filtered_mean_s, n.outliers, n.measurements, n.spread_s});
    }
  }
  mpi::broadcast(context, std::as_writable_bytes(std::span(values)));
  const double* value = values.data();
  for (auto& prior : priors_) {
    const int winner = static_cast<int>(*value++);
    prior = winner >= 0 ? std::optional<Prior>({Candidate{winner}, {}}) : std::nullopt;
    for (std::size_t i = 0; i < candidates; ++i, value += per_candidate) {
      if (prior.has_value()) {
        prior->known.push_back({value[0], value[1], value[2], value[3], value[4]});
      }
    }
  }
}

std::vector<Studies::Near> Recollection::similar_studies(mpi::Context& context, Mode mode, const Study* own) const {
  std::vector<Studies::Near> found;
  for (auto& study : context.state<Studies>().all()) {
    if (study->key != key(mode) || (own != nullptr && study->number >= own->number)) {
      continue;
    }
    const double apart = history::distance(entry_, study->problem, similarity_);
    if (apart <= history::similarity_limit) {
      found.emplace_back(std::move(study), apart);
    }
  }
  std::ranges::stable_sort(found, {}, &Studies::Near::second);
  return found;
}

/// Advice of similar problems with stored results; empty: none.
history::Advice Recollection::advice(Mode mode, const select::Subject& subject) const {
  const auto known = all_of(subject.function_set);
  if (known.empty()) {
    return {};
  }
  std::vector<std::string> names;
  for (const select::Candidate& candidate : subject.candidates) {
    names.push_back(candidate.name);
  }
  return history::advice_for(entry_, key(mode), names, known, similarity_);
}

Hint Recollection::hint(mpi::Context& context, Mode mode, const select::Subject& subject, const Study* own) {
  // Layout: the number of a study, or 0; whether there is advice; near studies and their distances; the advice:
  // relative times, and corrections.
  const auto candidates = static_cast<std::ptrdiff_t>(subject.candidates.size());
  constexpr std::size_t head = 2 + 2 * most_near;
  std::vector<double> values(head + 2 * subject.candidates.size(), 0.0);
  if (writes_ && (memory_ == nullptr || similarity_ == nullptr)) {
    // The other ranks are about to enter the broadcast: if anything fails here, no results are known.
    const auto failure = mpi::error_of([&] {
      const auto similar = similar_studies(context, mode, own);
      for (std::size_t i = 0; i < std::min(similar.size(), most_near); ++i) {
        values[2 + 2 * i] = static_cast<double>(similar[i].first->number);
        values[3 + 2 * i] = similar[i].second;
      }
      const history::Advice told = advice(mode, subject);
      if (told.relative.empty()) {
        values[0] = static_cast<double>(teacher_of(similar));
        return;
      }
      values[1] = 1.0;
      std::copy(told.relative.begin(), told.relative.end(), values.begin() + head);
      std::copy(told.corrections.begin(), told.corrections.end(), values.begin() + head + candidates);
      hints_.at(static_cast<std::size_t>(mode)) = text("advice of similar problems, the nearest at ", told.distance,
                                                       " times the largest distance; ", place_of(told.source));
    });
    if (failure.has_value()) {
      std::fill(values.begin(), values.end(), 0.0);
      say(*settings_, failure->what());
    }
  }
  if (memory_ == nullptr) {
    mpi::broadcast(context, std::as_writable_bytes(std::span(values)));
  }
  Hint hint;
  if (values[1] == 1.0) {
    hint.relative.assign(values.begin() + head, values.begin() + head + candidates);
    hint.corrections.assign(values.begin() + head + candidates, values.end());
  }
  const auto studies = context.state<Studies>().all();
  const auto numbered = [&](double number) {
    const auto found = std::ranges::find(studies, static_cast<std::int64_t>(number), &Study::number);
    return found != studies.end() ? *found : nullptr;
  };
  hint.teacher = numbered(values[0]);
  for (std::size_t i = 0; i < most_near; ++i) {
    if (auto study = numbered(values[2 + 2 * i])) {
      hint.near.emplace_back(std::move(study), values[3 + 2 * i]);
    }
  }
  return hint;
}

std::shared_ptr<Study> Recollection::begin_study(mpi::Context& context, Mode mode,
                                                 std::span<const Studies::Near> near) const {
  return context.state<Studies>().begin(key(mode), entry_, near);
}

void Recollection::keep(Mode mode, bool intervals, const select::Subject& subject, const select::Search& search,
                        history::Outcome outcome, const select::Guided* guided) {
  const auto& verdict = select::standing(search);
  const auto& knowledge = search.knowledge();
  if (!writes_ || !verdict.has_value() ||
      knowledge[static_cast<std::size_t>(verdict->winner)].numbers.measurements < 1.0) {
    return;
  }
  history::Decision decision;
  decision.winner = subject.candidates[static_cast<std::size_t>(verdict->winner)].name;
  decision.winner_s = knowledge[static_cast<std::size_t>(verdict->winner)].judged_s;
  decision.reason = verdict->reason;
  decision.search = settings_->search;
  decision.outliers = settings_->outliers;
  for (std::size_t i = 0; i < knowledge.size(); ++i) {
    if (knowledge[i].numbers.measurements >= 1.0) {
      decision.estimates.push_back({subject.candidates[i].name, knowledge[i].numbers, knowledge[i].judged_s});
    } else if (guided != nullptr && !std::isnan(guided->left_out(static_cast<int>(i)))) {
      decision.expected[subject.candidates[i].name] = std::min(guided->left_out(static_cast<int>(i)), ruled_out);
    } else if (knowledge[i].removed.empty() || knowledge[i].removed == select::not_tried) {
      decision.untried[subject.candidates[i].name] = correction(subject, search, verdict->winner, i, decision.winner_s);
    }
  }
  decision.decided = history::now_utc();
  decision.version = ADCL_VERSION_TEXT;
  if (memory_ != nullptr) {
    memory_->add(entry_, settings_->decision_hash, key(mode, intervals), decision, outcome);
  } else {
    say(*settings_, history::add(folder(), entry_, key(mode, intervals), decision, outcome));
  }
}

bool Recollection::heard(Mode mode, std::size_t peers) {
  std::string& words = hints_.at(static_cast<std::size_t>(mode));
  const std::string before =
      std::exchange(words, text("uses measurements of ", peers, peers == 1 ? " similar problem" : " similar problems",
                                " that this run searches at the same time"));
  return words != before;
}

std::string Recollection::words(Mode mode) const {
  const auto decision = entry_.decisions.find(key(mode));
  if (prior(mode) == nullptr || decision == entry_.decisions.end()) {
    return hints_.at(static_cast<std::size_t>(mode));
  }
  const history::Decision& known = decision->second;
  return text(known.winner, " won on ", known.decided, "; searched ", times(known.decisions), ", confirmed ",
              times(known.confirmations), " before; ", place_of(history::file_of("", entry_.identity).substr(1)));
}

}  // namespace adcl::runtime
