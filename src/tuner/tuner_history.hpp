/// \file tuner_history.hpp
/// Connects a tuner with stored results and with similar searches of this run.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "mpi/context.hpp"
#include "select/subject.hpp"
#include "tuner/current_search.hpp"
#include "tuner/decider.hpp"
#include "tuner/recollection.hpp"
#include "tuner/study.hpp"

namespace adcl::runtime {

/// For one mode. Does nothing without a history.
class TunerHistory {
 public:
  /// \p recollection: null without a history.
  TunerHistory(std::shared_ptr<Recollection> recollection, Mode mode)
      : recollection_(std::move(recollection)), mode_(mode) {}
  ~TunerHistory() { end_study(); }
  TunerHistory(const TunerHistory&) = delete;
  TunerHistory& operator=(const TunerHistory&) = delete;

  [[nodiscard]] bool exists() const noexcept { return recollection_ != nullptr; }
  /// Returns the advice of similar problems. From then on, similar searches receive the measurements of this one. Only
  /// with a history. Collective.
  [[nodiscard]] Hint seek(mpi::Context& context, const select::Subject& subject);
  /// Source of the prior or the advice, for reports; empty: none.
  [[nodiscard]] std::string words() const { return exists() ? recollection_->words(mode_) : ""; }

  /// \p waits: the search waits for another one, whose \p leader it runs.
  void set_waits(bool waits, const std::string& leader = {});
  /// Passes the measurements of similar searches to \p search. Returns true if more searches than before have sent
  /// some.
  bool listen(select::Search& search, const select::Subject& subject);
  /// Publishes the measurements of \p search to similar searches.
  void share(const select::Search& search, const select::Subject& subject);
  /// Withdraws the published measurements.
  void forget() {
    if (study_ != nullptr) {
      study_->forget();
    }
  }

  /// Stores the result of \p search. \p intervals: its times are from start to start. Only with a history.
  void keep(bool intervals, const select::Subject& subject, const CurrentSearch& search, history::Outcome outcome) {
    recollection_->keep(mode_, intervals, subject, *search, outcome, search.guided());
  }
  /// Searches that wait for this one continue.
  void end_study() {
    if (study_ != nullptr) {
      study_->over = true;
    }
  }
  /// Results are for this run only.
  [[nodiscard]] bool in_memory() const { return exists() && recollection_->in_memory(); }

 private:
  std::shared_ptr<Recollection> recollection_;
  Mode mode_;
  std::shared_ptr<Study> study_;  ///< null before seek()
};

}  // namespace adcl::runtime
