/// \file size_class.hpp
/// Shared by the searches of similar sizes: one time budget, and the winner of the first search. Pure. All ranks pass
/// agreed times and equal numbers of calls, so all ranks get the same results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "interpose/economy.hpp"

namespace adcl::interpose {

class Search;

/// The calls of a communicator with the same operation, root and reduction whose sizes have the same next power of two.
/// A size waits until the class begins its search. The first size searches; the other sizes then prove its winner.
class SizeClass {
 public:
  enum class Verdict {
    open,       ///< no size has a winner
    searching,  ///< one size searches, the others wait
    won,        ///< a size has a winner; each other size begins with a proof of this winner
    rejected    ///< sizes that wait keep the MPI library's call
  };
  /// What a waiting size does after a call.
  enum class Step {
    wait,
    agree,      ///< the ranks agree on the time of the calls, and whether the size begins
    take_over,  ///< the size that searches has become rare: it gives back its request
    keep_native
  };

  /// \p bytes: size of the largest block; 0: blocks may have any size.
  explicit SizeClass(std::int64_t bytes);

  // Events. All ranks call these functions in the same intercepted MPI calls.

  /// Another size waits; it has made \p calls calls.
  void enter(std::int64_t calls);
  /// A size that waits, with \p calls calls, leaves the class.
  void leave(std::int64_t calls);
  /// Counts \p calls further calls of a size. \p waiting: the size waits.
  void count(const Search* size, std::int64_t calls, bool waiting);
  /// Adds this rank's time of one call of the MPI library. Local.
  void sample(double seconds);
  /// This rank's mean of the samples since the last agreement. Local.
  [[nodiscard]] double mean_of_samples() const noexcept;
  /// The ranks have agreed on the mean of the samples.
  void agree(double native_s);
  void set_budget(double budget) noexcept { budget_ = budget; }
  /// Postpones the next beginning until the number of calls has doubled.
  void defer() noexcept;
  /// A size begins, with \p calls calls.
  void begin(Search* size, std::int64_t calls);
  /// The calls of a group or of a batch took \p seconds longer than the MPI library's calls. Negative numbers reduce
  /// the costs so far: network times vary so much that the longer times alone would use up the budget. On 2 ranks,
  /// `ft_plain S 1500` decides in 8 of 12 runs; if negative numbers are ignored, in 3 of 12 runs.
  void spend(double seconds) noexcept { spent_s_ = std::max(0.0, spent_s_ + seconds); }
  /// The winner of an earlier run, which the first size proves instead of searching. If it is rejected, the first size
  /// searches.
  void suggest(std::string winner);
  /// The proof of \p winner was successful.
  void win(const std::string& winner);
  /// A size that has begun has no winner. Returns false if the suggestion of an earlier run was rejected: the class is
  /// open again, and the size waits. Otherwise the size keeps the MPI library's call.
  bool refuse(const Search* size, const std::string& candidate, const std::string& reason);
  /// A winner was withdrawn.
  void withdraw(const std::string& reason);
  /// All sizes that wait keep the MPI library's call.
  void reject(const std::string& candidate, const std::string& reason);
  /// The size that searches stops without a result.
  void stop(const Search* size) noexcept;

  // Queries.

  /// The next step of a waiting size with \p calls calls.
  [[nodiscard]] Step step(std::int64_t calls);
  /// Whether a waiting size with \p calls calls begins. \p more_s: its cost in addition to creation_s.
  [[nodiscard]] bool may_begin(std::int64_t calls, double more_s = 0.0) const;
  /// The candidate with which a size begins; empty: it compares all candidates.
  [[nodiscard]] const std::string& suggestion() const noexcept;
  /// Whether the budget covers the costs so far.
  [[nodiscard]] bool paid() const { return covers(spent_s_); }
  /// Number of calls of a size until the budget covers the costs. \p calls: its calls so far. Assumes that its share of
  /// the calls stays the same.
  [[nodiscard]] std::int64_t calls_until_paid(std::int64_t calls) const;
  /// Whether so few calls have run that each one is timed.
  [[nodiscard]] bool times_all() const noexcept;
  [[nodiscard]] std::int64_t calls() const noexcept { return calls_; }
  [[nodiscard]] Verdict verdict() const noexcept { return verdict_; }
  [[nodiscard]] double native_s() const noexcept { return time_.native_s; }
  [[nodiscard]] double budget() const noexcept { return budget_; }
  [[nodiscard]] Search* searching() const noexcept { return searcher_.size; }
  /// The winner, or the rejected candidate.
  [[nodiscard]] const std::string& candidate() const noexcept { return candidate_; }
  /// Why the sizes that wait keep the MPI library's call.
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

 private:
  struct Waiting {
    std::int64_t sizes = 0;
    std::int64_t calls = 0;
  };
  struct Samples {
    double seconds = 0.0;
    int number = 0;
  };
  /// Agreed time.
  struct Time {
    double native_s = 0.0;        ///< mean of the MPI library's call since the second-to-last agreement
    double total_s = 0.0;         ///< in the calls up to the last agreement
    std::int64_t up_to_call = 0;  ///< the last agreement
  };
  struct Searcher {
    Search* size = nullptr;
    std::int64_t calls = 0;  ///< calls of the size since the call `since` of the class
    std::int64_t since = 0;
  };
  struct Proofs {
    int successful = 0;
    int refused = 0;
    int withdrawn = 0;
  };

  [[nodiscard]] double time_s() const;
  [[nodiscard]] bool covers(double seconds) const;
  [[nodiscard]] bool pays(std::int64_t calls, double more_s = 0.0) const;
  [[nodiscard]] bool searcher_is_rare();

  Verdict verdict_ = Verdict::open;
  std::int64_t calls_ = 0;
  std::int64_t first_;       ///< number of calls before the first agreement
  std::int64_t checkpoint_;  ///< number of calls before the next agreement
  std::int64_t deferred_until_ = 0;
  double budget_ = 0.0;
  double spent_s_ = 0.0;
  Waiting waiting_;
  Samples samples_;
  Time time_;
  Searcher searcher_;
  Proofs proofs_;
  std::string suggestion_;  ///< of an earlier run
  std::string candidate_;
  std::string reason_;
};

}  // namespace adcl::interpose
