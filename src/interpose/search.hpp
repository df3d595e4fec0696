/// \file search.hpp
/// Chooses between the MPI library's call and a codelet for all calls with the same key.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interpose/economy.hpp"
#include "interpose/key.hpp"
#include "interpose/path.hpp"
#include "interpose/size_class.hpp"
#include "select/batch_times.hpp"
#include "select/gain.hpp"

namespace adcl::interpose {

class Communicator;

/// Calls the next function with the program's arguments. Refers to a function object that the caller owns.
class NativeCall {
 public:
  template <typename Function>
  explicit NativeCall(const Function& function)
      : object_(&function), run_([](const void* object) { return (*static_cast<const Function*>(object))(); }) {}
  int operator()() const { return run_(object_); }

 private:
  const void* object_;
  int (*run_)(const void*);
};

enum class State {
  watching,     ///< the MPI library's call runs and is sampled, until the size class begins
  searching,    ///< groups of calls run candidates
  proving,      ///< pairs compare the best candidate with the MPI library's call
  production,   ///< the winner runs
  recommended,  ///< the winner would run; the ranks only measure
  native        ///< the MPI library's call runs until the end
};
const char* state_name(State state);

/// Results for the report: of one search, or of several searches with the same values of the first six members.
struct Summary {
  Operation operation = Operation::barrier;
  bool persistent = false;  ///< starts of persistent requests
  bool neighborhood = false;
  std::int64_t up_to_bytes = 0;  ///< size class: the next power of two; 0: all sizes
  State state = State::watching;
  std::string winner;  ///< the codelet in production, or the best candidate that was rejected
  std::string reason;  ///< why the MPI library's call runs
  std::int64_t searches = 1;
  std::int64_t calls = 0;
  bool measured = false;  ///< the winner was only measured: the next members estimate its effect in production
  std::int64_t production_calls = 0;  ///< calls that ran the winner, or that it would have run
  double seconds = 0.0;               ///< estimated time in all calls, most of which are not timed
  double production_s = 0.0;          ///< time in production_calls; if `measured`, time of the MPI library's calls
  double spent_s = 0.0;               ///< cost of the search
  /// Production calls whose speedup is known from at least six pairs, their time, and the time that they saved: their
  /// time multiplied by (median speedup − 1) or, if `measured`, by (1 − 1 / median speedup). saved_low_s and
  /// saved_high_s use the limits of the confidence interval instead of the median.
  std::int64_t compared_calls = 0;
  double compared_s = 0.0;
  double saved_s = 0.0;
  double saved_low_s = 0.0;
  double saved_high_s = 0.0;
  std::int64_t pairs = 0;
  std::optional<select::Gain> proof;  ///< of the pairs that chose the winner
  /// Pairs of a rehearsal after its proof, and the time that ADCL_INTERPOSE_BITS=any would have saved since then.
  std::int64_t rehearsed_pairs = 0;
  double any_saved_s = 0.0;
  double any_saved_low_s = 0.0;
  double any_saved_high_s = 0.0;
  std::vector<Guideline> guidelines;  ///< broken by the MPI library

  [[nodiscard]] bool same_row(const Summary& other) const {
    return operation == other.operation && persistent == other.persistent && neighborhood == other.neighborhood &&
           up_to_bytes == other.up_to_bytes && state == other.state && winner == other.winner &&
           reason == other.reason && measured == other.measured;
  }
  void add(const Summary& other);
};

/// State machine of one key; interposer.md lists the states. All ranks call run() in the same order. A state depends
/// only on the numbers of calls on the communicator and on reduced numbers, so all ranks run the same branch in each
/// call.
class Search {
 public:
  /// \p home and \p family outlive the search. Local.
  Search(Communicator& home, const Key& key, SizeClass& family);
  /// Collective once a request exists.
  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// Whether the MPI library's call runs without consulting the search. The caller runs it if so.
  bool takes_native_turn() noexcept {
    if (lease_.left <= 0 || lease_.runs_codelet) {
      return false;
    }
    --lease_.left;
    return true;
  }

  /// Runs a call with its significant arguments and returns MPI's code.
  int run(const CollectiveCall& call, const NativeCall& native) {
    if (--lease_.left >= 0) [[likely]] {
      return lease_.runs_codelet ? run_codelet(call, native) : native();
    }
    return run_and_act(call, native);
  }

  [[nodiscard]] Summary summary() const;
  /// Number of calls since the search was created, or since it gave back its request.
  [[nodiscard]] std::int64_t calls() const;
  [[nodiscard]] const Key& key() const noexcept { return key_; }
  [[nodiscard]] SizeClass& family() const noexcept { return family_; }
  [[nodiscard]] bool has_request() const noexcept { return path_ != nullptr; }
  /// Stores the results, frees the request, and waits for the size class again. Collective.
  void give_back();
  /// Stores the results of a search without a request, and leaves the size class. Local; the search is not used again.
  void retire();
  /// Stores the results for the report. Local.
  void store_results() const;
  /// Runs the MPI library's call from now on. May be called in a call of another search. Collective.
  void keep_native(const std::string& reason);
  /// Whether the blocks of a call are valid. Calls with other blocks are passed through.
  [[nodiscard]] bool accepts(const CollectiveCall& call) const;

 private:
  /// Sum of the samples of the MPI library's call since the last agreement.
  struct Samples {
    double seconds = 0.0;
    int number = 0;
    [[nodiscard]] double mean() const noexcept { return number > 0 ? seconds / number : 0.0; }
  };
  /// Numbers that the ranks have agreed on.
  struct Agreed {
    double native_s = 0.0;  ///< mean over the ranks, including waits for late ranks
    double codelet_s = 0.0;
    double spent_s = 0.0;
    bool measures = false;  ///< ADCL_INTERPOSE=measure on any rank
    /// For a reduction in which candidates would produce different bits: candidates run before the MPI library's call
    /// and write to memory of the interposer, only to estimate the time that they would save.
    bool rehearses = false;
    bool rehearsal_proved = false;  ///< the best candidate is faster
  };
  /// The pairs of a batch.
  struct Pairs {
    select::BatchTimes times;
    int pair = 0;                ///< complete pairs of the batch
    int position = 0;            ///< calls of the pair so far
    std::uint64_t number = 0;    ///< pairs so far
    std::vector<double> ratios;  ///< ratios of State::proving, then of State::production
    double native_s = 0.0;       ///< total times of these pairs; earlier batches have less weight
    double codelet_s = 0.0;
  };
  /// The winner's time in production.
  struct Check {
    std::int64_t until_pair = 0;  ///< calls between the end of the wait and the next pair
    std::int64_t patience = 1;    ///< factor of the calls between two checks
    int position = 0;             ///< timed calls so far
    bool hurried = false;         ///< the winner may have become slower: the pairs of the batch follow each other
    select::BatchTimes times;
  };
  /// Number of calls that run without consulting the search.
  struct Lease {
    std::int64_t left = 0;
    bool runs_codelet = false;
    std::int64_t granted = 0;  ///< initial value of `left`
  };
  /// This rank's numbers since the last agreement.
  struct Own {
    Samples samples;
    double native_s = 0.0;  ///< mean time of the MPI library's call at the last agreement
    double spent_s = 0.0;   ///< cost of the search
    bool failed = false;    ///< a codelet has failed
  };
  struct Outcome {
    std::string winner;  ///< or the best candidate if it was rejected
    std::string reason;  ///< why the MPI library's call runs
    std::optional<select::Gain> proof;
    std::vector<Guideline> guidelines;
  };
  struct Counts {
    std::int64_t native = 0;
    std::int64_t candidates = 0;
    std::int64_t production = 0;
    std::int64_t recommended = 0;  ///< among `native`: calls in State::recommended
    std::int64_t rehearsals = 0;   ///< runs of candidates in addition to the MPI library's call
  };
  /// Seconds of this rank for the report. A sample represents the preceding calls that were not timed.
  struct Estimate {
    double other_s = 0.0;             ///< time in the MPI library's call and in candidates
    double production_s = 0.0;        ///< time of winner_calls(), up to the last agreement
    std::int64_t untimed_native = 0;  ///< since the last sample
    std::int64_t production = 0;      ///< calls in production_s
    double before_proof_s = 0.0;      ///< of a rehearsal: time in the calls before its proof
  };

  int run_codelet(const CollectiveCall& call, const NativeCall& native) noexcept;
  int run_and_act(const CollectiveCall& call, const NativeCall& native);
  int run_native(const NativeCall& native);
  void settle();
  void grant();
  /// Number of calls that ran the winner outside of the proof; if the ranks only measure, the calls that would have run
  /// it. winner_call_s() is the time of one of these calls.
  [[nodiscard]] std::int64_t winner_calls(const Counts& counts) const {
    return agreed_.measures ? counts.recommended : counts.production;
  }
  [[nodiscard]] double winner_call_s() const { return agreed_.measures ? agreed_.native_s : agreed_.codelet_s; }

  void watch();
  void check_whether_to_begin();
  void begin();
  int run_candidate(const CollectiveCall& call, const NativeCall& native);
  int rehearse(const CollectiveCall& call, const NativeCall& native, double& seconds);
  [[nodiscard]] double seconds_so_far() const;
  void end_group();
  void conclude();
  int run_of_pair(const CollectiveCall& call, const NativeCall& native);
  int run_check(const CollectiveCall& call, const NativeCall& native);
  void end_check();
  void wait_in_production();
  void begin_batch();
  void absorb_batch();
  void judge_proof();
  void judge_rehearsal();
  void forget_pairs();
  [[nodiscard]] bool loses_time() const;
  void judge_production();
  [[nodiscard]] bool waits_for_budget() const;
  void wait_until_paid();
  void spend(double seconds);
  void overrule(const std::string& reason);
  void refuse(const std::string& reason);
  void release();
  static select::Parameters mean_of_samples();
  [[nodiscard]] bool has_common_clock() const;
  [[nodiscard]] MPI_Comm comm() const;
  /// Returns the element-wise maxima over the ranks.
  [[nodiscard]] std::vector<double> reduce(std::vector<double> numbers) const;
  /// Returns the means over the ranks; bitwise identical on all ranks.
  [[nodiscard]] std::vector<double> means_over_ranks(std::vector<double> numbers) const;
  std::vector<double> with_times(std::vector<double> numbers);
  void take_times(std::span<const double> means);

  Lease lease_;  // the fast path reads only the first members
  std::unique_ptr<Path> path_;
  std::int64_t wait_ = 0;  ///< number of calls between the end of the lease and the next action
  int group_left_ = calls_per_group;
  State state_ = State::watching;
  Communicator& home_;
  SizeClass& family_;
  Key key_;
  Counts counts_;
  Estimate estimate_;
  Agreed agreed_;
  Own own_;
  Pairs pairs_;
  Check check_;
  Outcome outcome_;
};

}  // namespace adcl::interpose
