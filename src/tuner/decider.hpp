/// \file decider.hpp
/// Interface between a request and the search: which candidate runs next, and how long it took.
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

/// How an application uses a request. Each mode has its own candidates and its own winner.
enum class Mode {
  blocking,       ///< ADCL_Request_start
  split,          ///< ADCL_Request_init ... ADCL_Request_wait: nonblocking codelets
  functions,      ///< ADCL_Request_start_overlap
  blocking_with,  ///< ADCL_Request_start_with: codelets that are not bound to addresses
  split_with,     ///< ADCL_Request_init_with ... ADCL_Request_wait: nonblocking codelets without bound addresses
  timed           ///< the search of a timer, which decides for several requests; not a mode of one request
};
inline constexpr std::size_t mode_count = 5;      ///< ways to use a request
inline constexpr std::size_t all_mode_count = 6;  ///< ways to use a request, and the search of a timer
const char* mode_name(Mode mode);

/// Ticket slots of production starts that compare the first codelet of the table with the winner: a warm-up start, and
/// samples, numbered downward from comparison_sample. Searches never receive them.
inline constexpr int comparison_warm_up = -2;
inline constexpr int comparison_sample = -3;
inline bool is_comparison(const select::Ticket& ticket) noexcept { return ticket.slot <= comparison_warm_up; }

/// Decides for requests in one mode. A Tuner decides for all requests with the same problem and times each operation. A
/// timer's Part applies the decision of a timer, which times several requests together.
///
/// All ranks make the same calls between the same starts, with two exceptions: a rank whose operation failed may omit
/// record_time() and amend(), and it calls add_failure().
///
/// In production, a request runs the winner without consulting the decider until the lease ends. All ranks start the
/// requests of one communicator in the same order, so the lease ends at the same start everywhere. There the decider
/// may check production, agree, and reopen the decision.
class Decider {
 public:
  Decider() = default;
  Decider(const Decider&) = delete;
  Decider& operator=(const Decider&) = delete;
  virtual ~Decider() = default;

  /// Returns the ticket of the next operation, which belongs to \p request. Called once per start that the lease does
  /// not cover.
  virtual select::Ticket next(std::int64_t request) = 0;
  /// True if record_time() must be called for the operation of the last next().
  [[nodiscard]] virtual bool timed() const noexcept = 0;
  /// Returns the ticket to run instead after the candidate was dropped within the same start.
  virtual select::Ticket next_after_drop() = 0;
  /// Records that the operation of \p ticket, an operation of \p request, took \p seconds on this rank.
  virtual void record_time(const select::Ticket& ticket, double seconds, std::int64_t request) = 0;
  /// Replaces the time that record_time() received.
  virtual void amend(const select::Ticket& ticket, double seconds, std::int64_t request) = 0;
  /// Drops a candidate whose plan cannot be created. Throws Error(no_codelet) for the last candidate.
  virtual void drop(ModeCandidate candidate, const std::string& reason, std::int64_t request) = 0;
  /// True if all other candidates were dropped.
  [[nodiscard]] virtual bool is_last(ModeCandidate candidate) const = 0;
  /// Reports that an execution of the candidate failed on this rank. All ranks drop it at their next agreement.
  virtual void add_failure(ModeCandidate candidate, const std::string& reason) = 0;
  /// The reason why the last remaining candidate failed, after which no start is possible. Empty if a candidate is
  /// left. The same on all ranks.
  [[nodiscard]] virtual const std::string& final_failure() const noexcept = 0;
  /// Adds the time that this rank spent on plans and agreements between starts.
  virtual void add_preparation(double seconds) = 0;

  /// The counter of the lease on which requests run. Valid if timed() is false or after a decision.
  [[nodiscard]] virtual std::shared_ptr<LeaseCounter> lease() = 0;
  /// Withdraws the decision, at the same start on all ranks: the next start belongs to a search that verifies the known
  /// results as a prior. Does nothing if nothing is decided.
  virtual void reopen(const std::string& reason) = 0;

  [[nodiscard]] virtual bool decided() const noexcept = 0;
  /// True after a final or provisional decision: the winner runs, and further trials run only if they pay off in a long
  /// program.
  [[nodiscard]] virtual bool has_winner() const noexcept = 0;
  /// Number of decisions so far, which distinguishes successive decisions.
  [[nodiscard]] virtual int decisions() const noexcept = 0;
  /// Another candidate whose plan is needed once there is a winner: the first codelet of the table, until its
  /// comparison with the winner is complete.
  [[nodiscard]] virtual std::optional<ModeCandidate> compared_candidate() const noexcept { return std::nullopt; }
  /// The candidate that runs in production, once has_winner().
  [[nodiscard]] virtual ModeCandidate winner() const noexcept = 0;
  /// Results so far, one per candidate.
  [[nodiscard]] virtual std::span<const select::Knowledge> knowledge() const = 0;
  /// True if ranks synchronize before and after each timed operation.
  [[nodiscard]] virtual bool synchronizes() const noexcept { return false; }
};

/// The deciders of a request, one per mode.
class Deciders {
 public:
  Deciders() = default;
  Deciders(const Deciders&) = delete;
  Deciders& operator=(const Deciders&) = delete;
  virtual ~Deciders() = default;

  /// Returns the decider for \p mode. Throws Error(no_codelet) if no candidate supports the mode. The first call for a
  /// mode may wait for rank 0; later calls are local. The same on all ranks.
  virtual Decider& for_mode(Mode mode) = 0;
  /// Returns the decider for \p mode; null if the mode was never used.
  [[nodiscard]] virtual Decider* find(Mode mode) const = 0;
  /// Converts a candidate of the mode to a candidate of the problem.
  [[nodiscard]] virtual Candidate candidate(Mode mode, ModeCandidate member) const = 0;
};

}  // namespace adcl::runtime
