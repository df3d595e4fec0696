/// \file decider.hpp
/// What a request asks: who runs next. And what it tells: how long that took.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "runtime/indices.hpp"
#include "search/search.hpp"

namespace adcl::runtime {

/// Decides for one way of using requests. An Emethod does it for all requests of one problem and times each operation
/// by itself; what times several requests together decides for all of them.
///
/// All ranks make the same calls between the same starts, but for took() and amend(), which may be left out by a rank
/// whose operation failed.
class Decider {
 public:
  Decider() = default;
  Decider(const Decider&) = delete;
  Decider& operator=(const Decider&) = delete;
  virtual ~Decider() = default;

  /// What the next operation runs. Once per start.
  virtual search::Ticket next() = 0;
  /// What it runs instead, when the candidate was dropped within the same start.
  virtual search::Ticket again() = 0;
  /// The operation of \p ticket took \p seconds on this rank, as part of \p request.
  virtual void took(const search::Ticket& ticket, double seconds, std::int64_t request) = 0;
  /// It took \p seconds, whatever took() said.
  virtual void amend(const search::Ticket& ticket, double seconds, std::int64_t request) = 0;
  /// A candidate whose plan cannot be made. Throws Error(no_codelet) when it is the last one.
  virtual void drop(ModeCandidate candidate, const std::string& reason, std::int64_t request) = 0;
  /// No candidate is left but this one.
  [[nodiscard]] virtual bool is_last(ModeCandidate candidate) const = 0;
  /// Time between starts on this rank that deciding took: plans and agreements.
  virtual void add_preparation(double seconds) = 0;

  [[nodiscard]] virtual bool decided() const noexcept = 0;
  /// The codelet of production, once decided.
  [[nodiscard]] virtual ModeCandidate winner() const noexcept = 0;
  /// What is known of each candidate.
  [[nodiscard]] virtual std::span<const search::Knowledge> knowledge() const = 0;
  /// Ranks meet before and after each operation that is timed.
  [[nodiscard]] virtual bool meets() const noexcept = 0;
};

}  // namespace adcl::runtime
