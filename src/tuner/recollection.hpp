/// \file recollection.hpp
/// What earlier runs have learnt about the problem of a request, and how what this run learns gets there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/problem.hpp"
#include "history/memory.hpp"
#include "history/similar.hpp"
#include "history/store.hpp"
#include "mpi/context.hpp"
#include "options/options.hpp"
#include "select/guided.hpp"
#include "select/subject.hpp"
#include "tuner/decider.hpp"
#include "tuner/indices.hpp"
#include "tuner/study.hpp"

namespace adcl::runtime {

/// What is known of one way of use before it begins.
struct Prior {
  Candidate winner = no_candidate;
  std::vector<measure::Numbers> known;  ///< one entry per candidate of the problem
};

/// What similar problems say of one that was never met.
struct Hint {
  std::vector<double> relative;          ///< per candidate, as select::Guided takes it; empty: nothing
  std::vector<double> corrections;       ///< the same
  std::shared_ptr<const Study> teacher;  ///< where nothing is known yet: a similar search of this run that will tell
  std::vector<Studies::Near> near;       ///< the nearest similar searches of this run that are under way, few
};

/// Of a folder, rank 0 reads and writes; the others are told. What is kept in memory all ranks have, and nobody is told
/// anything. All ranks have the same priors and hints.
class Recollection {
 public:
  /// Null when ADCL_HISTORY is off, or is memory and \p remembers is false. \p signatures says which problem it is, of
  /// all ranks: the sum over the ranks of what each rank's number and signature hash to, where it is that of a request.
  /// \p features are rank 0's; of a memory, they are the same on all ranks. What cannot be read is as if it was not
  /// there, and is said in the report. \p similarity, null for that of the library, is asked on rank 0, and with a
  /// memory never: similar problems are not looked for then. Collective.
  static std::shared_ptr<Recollection> of(mpi::Context& context, std::shared_ptr<const Settings> settings,
                                          const select::Subject& subject, Features features, std::uint64_t signatures,
                                          history::Similarity similarity, bool remembers);

  /// Null where nothing is known. The same on all ranks.
  [[nodiscard]] const Prior* prior(Mode mode) const {
    const auto& prior = priors_.at(static_cast<std::size_t>(mode));
    return prior.has_value() ? &*prior : nullptr;
  }
  /// What similar problems say of the candidates of \p subject. Rank 0 looks for them and the others are told: what it
  /// sees in the folder at that moment no other rank needs to see. Collective, and waits for rank 0; called when a way
  /// of use begins that has no prior, and when a teacher's search is over, so at the same start on all ranks. A teacher
  /// has begun before \p own, the search that asks, null when it has not begun: searches never wait in a circle.
  [[nodiscard]] Hint hint(mpi::Context& context, Mode mode, const select::Subject& subject, const Study* own);
  /// The search of \p mode begins: others may wait for it, and those that are \p near and it tell each other what they
  /// measure. Local, in the same order on all ranks.
  [[nodiscard]] std::shared_ptr<Study> begin_study(mpi::Context& context, Mode mode,
                                                   std::span<const Studies::Near> near) const;
  /// Stores what \p search has decided about the candidates of \p subject, on rank 0; nothing when the winner was not
  /// measured. \p intervals: its times are from start to start. \p guided, null for none, is \p search, led by a hint.
  /// What fails is said in the report. Local.
  void keep(Mode mode, bool intervals, const select::Subject& subject, const select::Search& search,
            history::Outcome outcome, const select::Guided* guided);
  /// What is learnt is for this run only.
  [[nodiscard]] bool in_memory() const noexcept { return memory_ != nullptr; }
  /// Searches of similar problems, so many, have told that of \p mode what they measured: true if they were not as many
  /// before. Local.
  bool heard(Mode mode, std::size_t peers);
  /// Where the prior or hint comes from, for the report; empty where there is none. On rank 0.
  [[nodiscard]] std::string words(Mode mode) const;

 private:
  Recollection(std::shared_ptr<const Settings> settings, history::Similarity similarity)
      : settings_(std::move(settings)), similarity_(std::move(similarity)) {}
  [[nodiscard]] history::Advice advice(Mode mode, const select::Subject& subject) const;
  /// On rank 0. Similar studies that began before \p own, the nearest first.
  [[nodiscard]] std::vector<Studies::Near> similar_studies(mpi::Context& context, Mode mode, const Study* own) const;
  void look(const select::Subject& subject, Features features, std::uint64_t signatures);
  void share(mpi::Context& context, std::size_t candidates);
  [[nodiscard]] std::string key(Mode mode) const {
    return key(mode, settings_->timing == Timing::interval && mode != Mode::timed);
  }
  [[nodiscard]] std::string key(Mode mode, bool intervals) const;
  /// What is known of exactly this problem.
  [[nodiscard]] history::Found found() const;
  [[nodiscard]] std::vector<std::shared_ptr<const history::Entry>> all_of(const std::string& function_set) const;
  [[nodiscard]] std::string place_of(const std::string& file) const;

  [[nodiscard]] const std::string& folder() const { return settings_->values.word("ADCL_HISTORY"); }

  std::shared_ptr<const Settings> settings_;
  std::shared_ptr<history::Memory> memory_;  ///< null: a folder
  bool writes_ = false;                      ///< this is rank 0, or there is a memory
  history::Entry entry_;
  std::array<std::optional<Prior>, searched_count> priors_;
  history::Similarity similarity_;
  std::array<std::string, searched_count> hints_;  ///< in words
};

}  // namespace adcl::runtime
