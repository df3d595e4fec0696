/// \file recollection.hpp
/// What earlier runs have learnt about the problem of a request, and how what this run learns gets there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/problem.hpp"
#include "history/store.hpp"
#include "mpi/context.hpp"
#include "runtime/decider.hpp"
#include "runtime/indices.hpp"
#include "runtime/options.hpp"

namespace adcl::runtime {

struct EmethodSubject;

/// What is known of one way of use before it begins.
struct Prior {
  Candidate winner = no_candidate;
  std::vector<estimate::Numbers> known;  ///< one entry per candidate of the problem
};

/// Rank 0 reads and writes, all ranks have the same priors.
class Recollection {
 public:
  /// Null when ADCL_HISTORY is off. \p signatures is the sum over the ranks of what each rank's number and signature
  /// hash to. What cannot be read is as if it was not there, and is said in the report. Collective.
  static std::shared_ptr<Recollection> of(mpi::Context& context, const Settings& settings,
                                          const EmethodSubject& subject, const Problem& problem,
                                          std::uint64_t signatures);

  /// Null where nothing is known. The same on all ranks.
  [[nodiscard]] const Prior* prior(Mode mode) const {
    const auto& prior = priors_.at(static_cast<std::size_t>(mode));
    return prior.has_value() ? &*prior : nullptr;
  }
  /// Stores what \p search has decided about the candidates of \p subject, on rank 0; nothing when the winner was not
  /// measured. What fails is said in the report. Local.
  void keep(Mode mode, const EmethodSubject& subject, const search::Search& search, history::Outcome outcome);
  /// Where the prior comes from, for the report; empty where there is none. On rank 0.
  [[nodiscard]] std::string words(Mode mode) const;

 private:
  explicit Recollection(Settings settings) : settings_(std::move(settings)) {}
  void look(const EmethodSubject& subject, const Problem& problem, std::uint64_t signatures);
  void share(mpi::Context& context, std::size_t candidates);
  [[nodiscard]] std::string key(Mode mode) const;

  Settings settings_;
  bool writes_ = false;  ///< this is rank 0
  history::Entry entry_;
  std::array<std::optional<Prior>, mode_count> priors_;
};

}  // namespace adcl::runtime
