/// \file decider.hpp
/// What a request asks: who runs next. And what it tells: how long that took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "select/search.hpp"
#include "tuner/indices.hpp"
#include "tuner/lease.hpp"

namespace adcl::runtime {

/// How a request is used. Each way has its own candidates and its own winner.
enum class Mode {
  blocking,       ///< ADCL_Request_start
  split,          ///< ADCL_Request_init ... ADCL_Request_wait: nonblocking codelets
  functions,      ///< ADCL_Request_start_overlap
  blocking_with,  ///< ADCL_Request_start_with: codelets that are not bound to addresses
  split_with,     ///< ADCL_Request_init_with ... ADCL_Request_wait: those that are non-blocking as well
  timed           ///< of a timer's search, which decides about several: no way of using a request
};
inline constexpr std::size_t mode_count = 5;      ///< ways of using a request
inline constexpr std::size_t searched_count = 6;  ///< with what a timer searches
const char* mode_name(Mode mode);

/// Slots of tickets that compare the first codelet of the table with the winner, in production: of a start that warms
/// up, and of samples, which count down from there. No search sees them.
inline constexpr int comparison_warm_up = -2;
inline constexpr int comparison_sample = -3;
inline bool is_comparison(const select::Ticket& ticket) noexcept { return ticket.slot <= comparison_warm_up; }

/// Decides for one way of using requests. A Tuner does it for all requests of one problem and times each operation
/// by itself; what times several requests together decides for all of them.
///
/// All ranks make the same calls between the same starts, but for took() and amend(), which may be left out by a rank
/// whose operation failed, and failed(), which such a rank calls.
///
/// In production a request runs the winner without asking, as long as the licence lasts. Starts of requests of one
/// communicator have the same order on all ranks, so it runs out at the same start everywhere: there the decider may
/// look at production, agree, and reopen the decision.
class Decider {
 public:
  Decider() = default;
  Decider(const Decider&) = delete;
  Decider& operator=(const Decider&) = delete;
  virtual ~Decider() = default;

  /// What the next operation runs, which is one of \p request. Once per start that was not counted down from the
  /// licence.
  virtual select::Ticket next(std::int64_t request) = 0;
  /// took() wants to hear of the operation that next() was asked for last.
  [[nodiscard]] virtual bool timed() const noexcept = 0;
  /// What it runs instead, when the candidate was dropped within the same start.
  virtual select::Ticket again() = 0;
  /// The operation of \p ticket took \p seconds on this rank, as part of \p request.
  virtual void took(const select::Ticket& ticket, double seconds, std::int64_t request) = 0;
  /// It took \p seconds, whatever took() said.
  virtual void amend(const select::Ticket& ticket, double seconds, std::int64_t request) = 0;
  /// A candidate whose plan cannot be made. Throws Error(no_codelet) when it is the last one.
  virtual void drop(ModeCandidate candidate, const std::string& reason, std::int64_t request) = 0;
  /// No candidate is left but this one.
  [[nodiscard]] virtual bool is_last(ModeCandidate candidate) const = 0;
  /// An execution of the candidate has failed on this rank: it is dropped on all ranks at their next agreement.
  virtual void failed(ModeCandidate candidate, const std::string& reason) = 0;
  /// Why the last candidate that was left has failed, the same on all ranks: no start can be served any more. Empty: a
  /// candidate is left.
  [[nodiscard]] virtual const std::string& exhausted() const noexcept = 0;
  /// Time between starts on this rank that deciding took: plans and agreements.
  virtual void add_preparation(double seconds) = 0;

  /// Of the decision; once decided.
  [[nodiscard]] virtual std::shared_ptr<Licence> licence() = 0;
  /// Withdraws the decision, at the same start on all ranks: the next start is one of a search that has what was known
  /// before as a prior to verify. Nothing happens when nothing is decided.
  virtual void reopen(const std::string& reason) = 0;

  [[nodiscard]] virtual bool decided() const noexcept = 0;
  /// Decided, or provisionally so: the winner runs, and others are tried only if that pays in a program that turns out
  /// to be long.
  [[nodiscard]] virtual bool settled() const noexcept = 0;
  /// How often a decision was reached: tells two that follow each other apart.
  [[nodiscard]] virtual int decisions() const noexcept = 0;
  /// The candidate besides the winner whose plan is still needed once settled: the first codelet of the table, until
  /// it has been compared with the winner.
  [[nodiscard]] virtual std::optional<ModeCandidate> compared() const noexcept { return std::nullopt; }
  /// The codelet of production, once settled.
  [[nodiscard]] virtual ModeCandidate winner() const noexcept = 0;
  /// What is known of each candidate.
  [[nodiscard]] virtual std::span<const select::Knowledge> knowledge() const = 0;
  /// Ranks meet before and after each operation that is timed.
  [[nodiscard]] virtual bool meets() const noexcept = 0;
};

/// The deciders of a request: one for each way of using it.
class Deciders {
 public:
  Deciders() = default;
  Deciders(const Deciders&) = delete;
  Deciders& operator=(const Deciders&) = delete;
  virtual ~Deciders() = default;

  /// That of \p mode. Throws Error(no_codelet) when no candidate can be used that way. The first call for
  /// a mode may wait for rank 0; the others are local. The same on all ranks.
  virtual Decider& in(Mode mode) = 0;
  /// Null when the mode was not used yet.
  [[nodiscard]] virtual Decider* used(Mode mode) const = 0;
  /// Which candidate of the problem a candidate of the mode is.
  [[nodiscard]] virtual Candidate candidate(Mode mode, ModeCandidate member) const = 0;
};

}  // namespace adcl::runtime
