/// \file recollection.hpp
/// Stored results of earlier runs about the problem of a request, and how this run stores its results.
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

/// Known results for one mode before it begins.
struct Prior {
  Candidate winner = no_candidate;
  std::vector<measure::Numbers> known;  ///< one entry per candidate of the problem
};

/// Advice from similar problems for a problem without stored results.
struct Hint {
  std::vector<double> relative;          ///< per candidate, for select::Guided; empty: none
  std::vector<double> corrections;       ///< per candidate, for select::Guided; empty: none
  std::shared_ptr<const Study> teacher;  ///< if nothing is known yet: a similar search of this run to wait for
  std::vector<Studies::Near> near;       ///< the nearest similar searches of this run that are under way, at most four
};

/// Only rank 0 accesses a folder; it broadcasts the contents. Results in memory are on all ranks, and nothing is
/// broadcast. All ranks have the same priors and hints.
class Recollection {
 public:
  /// Null if ADCL_HISTORY is off, or is memory and \p remembers is false. \p signatures identifies the problem on all
  /// ranks: for a request, the sum over the ranks of a hash of each rank's number and signature. \p features are rank
  /// 0's; for a memory, they are the same on all ranks. Results that cannot be read count as missing, and the report
  /// notes them. \p similarity, null for the library's, is called on rank 0 only; with a memory it is never called, and
  /// similar problems are then ignored. Collective.
  static std::shared_ptr<Recollection> of(mpi::Context& context, std::shared_ptr<const Settings> settings,
                                          const select::Subject& subject, Features features, std::uint64_t signatures,
                                          history::Similarity similarity, bool remembers);

  /// Null if nothing is known. The same on all ranks.
  [[nodiscard]] const Prior* prior(Mode mode) const {
    const auto& prior = priors_.at(static_cast<std::size_t>(mode));
    return prior.has_value() ? &*prior : nullptr;
  }
  /// Advice of similar problems about the candidates of \p subject. With a folder, rank 0 reads and broadcasts it, so
  /// other ranks may see another state of the folder. Collective, and waits for rank 0. Called at the same start on all
  /// ranks: when a mode without a prior begins, and when a teacher's search is over. A teacher always began before \p
  /// own, the search that asks (null: not begun), so searches never wait in a cycle.
  [[nodiscard]] Hint hint(mpi::Context& context, Mode mode, const select::Subject& subject, const Study* own);
  /// Begins the search of \p mode: other searches may wait for it, and it exchanges measurements with those in \p near.
  /// Local; called in the same order on all ranks.
  [[nodiscard]] std::shared_ptr<Study> begin_study(mpi::Context& context, Mode mode,
                                                   std::span<const Studies::Near> near) const;
  /// Stores the decision of \p search about the candidates of \p subject, if writes_; does nothing if the winner was
  /// not measured. \p intervals: its times are from start to start. \p guided: \p search, if a hint guides it, else
  /// null. The report notes failures. Local.
  void keep(Mode mode, bool intervals, const select::Subject& subject, const select::Search& search,
            history::Outcome outcome, const select::Guided* guided);
  /// Results are kept for this run only.
  [[nodiscard]] bool in_memory() const noexcept { return memory_ != nullptr; }
  /// Records that \p peers searches of similar problems have sent their measurements to the search of \p mode. Returns
  /// true if that number has changed. Local.
  bool heard(Mode mode, std::size_t peers);
  /// Source of the prior or hint, for the report; empty: none. On rank 0.
  [[nodiscard]] std::string words(Mode mode) const;

 private:
  Recollection(std::shared_ptr<const Settings> settings, history::Similarity similarity)
      : settings_(std::move(settings)), similarity_(std::move(similarity)) {}
  [[nodiscard]] history::Advice advice(Mode mode, const select::Subject& subject) const;
  /// Called if writes_. Similar studies that began before \p own, the nearest first.
  [[nodiscard]] std::vector<Studies::Near> similar_studies(mpi::Context& context, Mode mode, const Study* own) const;
  void look(const select::Subject& subject, Features features, std::uint64_t signatures);
  void share(mpi::Context& context, std::size_t candidates);
  [[nodiscard]] std::string key(Mode mode) const {
    return key(mode, settings_->timing == Timing::interval && mode != Mode::timed);
  }
  [[nodiscard]] std::string key(Mode mode, bool intervals) const;
  /// Stored results about exactly this problem.
  [[nodiscard]] history::Found found() const;
  [[nodiscard]] std::vector<std::shared_ptr<const history::Entry>> all_of(const std::string& function_set) const;
  [[nodiscard]] std::string place_of(const std::string& file) const;

  [[nodiscard]] const std::string& folder() const { return settings_->values.word("ADCL_HISTORY"); }

  std::shared_ptr<const Settings> settings_;
  std::shared_ptr<history::Memory> memory_;  ///< null: results are in a folder
  bool writes_ = false;                      ///< this is rank 0, or there is a memory
  history::Entry entry_;
  std::array<std::optional<Prior>, searched_count> priors_;
  history::Similarity similarity_;
  std::array<std::string, searched_count> hints_;  ///< source of each hint, in words
};

}  // namespace adcl::runtime
