/// \file problem_history.hpp
/// The history of a request's problem: stored results, advice from similar problems, and storing new results.
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
#include "select/search.hpp"
#include "select/subject.hpp"
#include "tuner/concurrent_search.hpp"
#include "tuner/decider.hpp"
#include "tuner/indices.hpp"

namespace adcl::runtime {

/// Hash of names and values; never 0. Local.
std::uint64_t hash_of(const Features& features);

/// Returns rank 0's features. \p own: this rank's features; \p alike: whether all ranks have equal features, the same
/// value on all ranks. Collective unless \p alike.
Features common_features(mpi::Context& context, Features own, bool alike);

/// Known results for one mode before it begins.
struct Prior {
  Candidate winner = no_candidate;
  std::vector<measure::Numbers> known;  ///< one entry per candidate of the problem
};

/// Advice from similar problems for a problem without stored results.
struct Advice {
  std::vector<double> relative;                       ///< per candidate, for select::Guided; empty: none
  std::vector<double> corrections;                    ///< per candidate, for select::Guided; empty: none
  std::shared_ptr<const ConcurrentSearch> awaited{};  ///< without stored results: a similar search to wait for
  std::vector<ConcurrentSearches::Near> near{};       ///< the nearest similar searches of this run, at most four
};

/// Only rank 0 accesses a folder; it broadcasts the contents. Results in memory are on all ranks, and nothing is
/// broadcast. All ranks have the same priors and advice.
class ProblemHistory {
 public:
  /// Returns null if ADCL_HISTORY=off, or if ADCL_HISTORY=memory and \p keeps_in_memory is false. \p signatures
  /// identifies the problem on all ranks: for a request, the sum over the ranks of a hash of each rank's number and
  /// signature. \p features are those of rank 0; with ADCL_HISTORY=memory, they are the same on all ranks. Results that
  /// cannot be read count as missing, and the report lists them. \p similarity (null: the library's distance function)
  /// is called on rank 0, and only if results are in a folder. With ADCL_HISTORY=memory, an application's own function
  /// disables the search for similar problems. Collective.
  static std::shared_ptr<ProblemHistory> of(mpi::Context& context, std::shared_ptr<const Settings> settings,
                                            const select::Subject& subject, Features features, std::uint64_t signatures,
                                            history::Similarity similarity, bool keeps_in_memory);

  /// Null if nothing is known. The same on all ranks.
  [[nodiscard]] const Prior* prior(Mode mode) const {
    const auto& prior = priors_.at(index_of(mode));
    return prior.has_value() ? &*prior : nullptr;
  }
  /// Returns advice from similar problems about the candidates of \p subject. With a folder, rank 0 reads and
  /// broadcasts it, so other ranks may see another state of the folder. Collective, and waits for rank 0. Called at the
  /// same start on all ranks: when a mode without a prior begins, and when an awaited search is over. An awaited search
  /// always began before \p own, the search that waits (null: not begun), so searches never wait in a cycle.
  [[nodiscard]] Advice advice(mpi::Context& context, Mode mode, const select::Subject& subject,
                              const ConcurrentSearch* own);
  /// Begins the search of \p mode: other searches may wait for it, and it exchanges measurements with the searches in
  /// \p near. Local; called in the same order on all ranks.
  [[nodiscard]] std::shared_ptr<ConcurrentSearch> begin_search(mpi::Context& context, Mode mode,
                                                               std::span<const ConcurrentSearches::Near> near) const;
  /// Records that \p peers searches of similar problems have sent their measurements to the search of \p mode. Returns
  /// true if \p peers has changed. Local.
  bool set_peer_count(Mode mode, std::ptrdiff_t peers);
  /// Stores the decision of \p search about the candidates of \p subject on rank 0, or in memory on all ranks. Does
  /// nothing if the winner was not measured. \p intervals: the search measured the time from one start to the next. The
  /// report lists failures. Local.
  void store(Mode mode, bool intervals, const select::Subject& subject, const select::Search& search,
             history::Outcome outcome);
  /// Replaces the winner that was stored last for \p mode with \p codelet, which takes \p seconds. Requires
  /// Settings::deferred_history; otherwise, or if the codelet is not a candidate or nothing was stored, does nothing.
  /// Local.
  void overrule(Mode mode, const std::string& codelet, double seconds, const std::string& reason);
  /// Results are kept for this run only.
  [[nodiscard]] bool in_memory() const noexcept { return memory_ != nullptr; }
  /// Source of the prior or the advice, for reports; empty: none. On rank 0.
  [[nodiscard]] std::string source(Mode mode) const;

 private:
  ProblemHistory(std::shared_ptr<const Settings> settings, history::Similarity similarity)
      : settings_(std::move(settings)), similarity_(std::move(similarity)) {}
  void read(const select::Subject& subject, Features features, std::uint64_t signatures);
  void share_priors(mpi::Context& context, std::size_t candidates);
  [[nodiscard]] Advice find_advice(mpi::Context& context, Mode mode, const select::Subject& subject,
                                   const ConcurrentSearch* own);
  [[nodiscard]] std::vector<ConcurrentSearches::Near> similar_searches(mpi::Context& context, Mode mode,
                                                                       const ConcurrentSearch* own) const;
  [[nodiscard]] std::string key(Mode mode, bool intervals) const;
  [[nodiscard]] std::string key(Mode mode) const {
    return key(mode, settings_->timing == Timing::interval && mode != Mode::timed);
  }
  [[nodiscard]] const std::string& folder() const { return settings_->values.word("ADCL_HISTORY"); }
  [[nodiscard]] std::string location(const std::string& file) const;
  [[nodiscard]] history::Found find_entry() const;
  [[nodiscard]] std::vector<history::EntryPtr> known_entries(const std::string& function_set) const;
  [[nodiscard]] const history::Decision* known_decision(Mode mode) const;

  std::shared_ptr<const Settings> settings_;
  std::shared_ptr<history::Memory> memory_;  ///< null: results are in a folder
  bool stores_ = false;                      ///< this is rank 0, or there is a memory
  history::Entry entry_;
  std::array<std::optional<Prior>, all_mode_count> priors_;
  history::Similarity similarity_;
  std::array<std::string, all_mode_count> advice_sources_;  ///< as text for the report
};

}  // namespace adcl::runtime
