/// \file search.hpp
/// Chooses between the MPI library's call and a codelet for all calls with the same key.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interpose/data_path.hpp"
#include "interpose/economy.hpp"
#include "interpose/key.hpp"
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
  watching,    ///< the MPI library's call runs and is sampled
  searching,   ///< groups of calls run candidates
  proving,     ///< pairs compare the best candidate with the MPI library's call
  production,  ///< the winner runs
  native       ///< the MPI library's call runs until the end
};
const char* state_name(State state);

/// Results for the report: of one search, or of several searches with the same values of the first five members.
struct Summary {
  Operation operation = Operation::barrier;
  std::int64_t up_to_bytes = 0;  ///< size class: the next power of two
  State state = State::watching;
  std::string winner;  ///< the codelet in production, or the best candidate that was rejected
  std::string reason;  ///< why the MPI library's call runs
  std::int64_t searches = 1;
  std::int64_t calls = 0;
  std::int64_t production_calls = 0;  ///< calls that ran the winner
  double seconds = 0.0;               ///< estimated time in all calls, most of which are not timed
  double production_s = 0.0;          ///< time in production_calls
  double spent_s = 0.0;               ///< cost of the search
  /// Production calls whose speedup is known from at least six pairs, and the time that they saved: their time times
  /// the median speedup minus 1, or times a bound of its interval minus 1.
  std::int64_t compared_calls = 0;
  double compared_s = 0.0;
  double saved_s = 0.0;
  double saved_low_s = 0.0;
  double saved_high_s = 0.0;
  std::int64_t pairs = 0;

  [[nodiscard]] bool same_row(const Summary& other) const {
    return operation == other.operation && up_to_bytes == other.up_to_bytes && state == other.state &&
           winner == other.winner && reason == other.reason;
  }
  void add(const Summary& other);
};

/// State machine of one key; interposer.md lists the states. All ranks call run() in the same order. A state depends
/// only on the number of calls and on reduced numbers, so all ranks run the same branch in each call.
class Search {
 public:
  /// \p home outlives the search. Local.
  Search(Communicator& home, const Key& key);
  /// Collective once a request exists.
  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  /// Runs a call with its significant arguments and returns MPI's code.
  int run(const CollectiveCall& call, const NativeCall& native) {
    if (--lease_.left >= 0) [[likely]] {
      return lease_.runs_codelet ? run_codelet(call) : native();
    }
    return run_and_act(call, native);
  }

  [[nodiscard]] Summary summary() const;

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
    double budget = 0.0;
  };
  /// The pairs of a batch.
  struct Pairs {
    select::BatchTimes times;
    int pair = 0;                ///< complete pairs of the batch
    int position = 0;            ///< calls of the pair so far
    std::vector<double> ratios;  ///< ratios of State::proving, then of State::production
  };
  /// Number of calls that run without consulting the search.
  struct Lease {
    std::int64_t left = 0;
    bool runs_codelet = false;
    std::int64_t granted = 0;  ///< initial value of `left`
  };
  /// This rank's numbers since the last agreement.
  struct Own {
    double native_s = 0.0;  ///< mean time of the MPI library's call at the last agreement
    double spent_s = 0.0;   ///< cost of the search
    bool failed = false;    ///< a codelet has failed
  };
  struct Outcome {
    std::string winner;  ///< or the best candidate if it was rejected
    std::string reason;  ///< why the MPI library's call runs
  };
  struct Counts {
    std::int64_t native = 0;
    std::int64_t candidates = 0;
    std::int64_t production = 0;
  };
  /// Seconds of this rank for the report. A sample represents the preceding calls that were not timed.
  struct Estimate {
    double other_s = 0.0;             ///< time in the MPI library's call and in candidates
    double production_s = 0.0;        ///< time in the winner, up to the last agreement
    std::int64_t untimed_native = 0;  ///< since the last sample
    std::int64_t production = 0;      ///< calls in production_s
  };

  int run_codelet(const CollectiveCall& call) noexcept;
  int run_and_act(const CollectiveCall& call, const NativeCall& native);
  int run_native(const NativeCall& native);
  void settle();
  void grant();
  [[nodiscard]] std::int64_t calls() const;

  void check_whether_to_begin();
  void begin();
  int run_candidate(const CollectiveCall& call);
  void end_group();
  void conclude();
  int run_of_pair(const CollectiveCall& call, const NativeCall& native);
  void begin_batch();
  void absorb_batch();
  void judge_proof();
  void judge_production();
  void wait_until_paid();
  void keep_native(const std::string& reason);
  [[nodiscard]] MPI_Comm comm() const;
  /// Returns the element-wise maxima over the ranks.
  [[nodiscard]] std::vector<double> reduce(std::vector<double> numbers) const;
  /// Returns the mean over the ranks; bitwise identical on all ranks.
  [[nodiscard]] double mean_over_ranks(double seconds) const;
  void take_samples();

  Lease lease_;  // the fast path reads only the first members
  std::unique_ptr<DataPath> path_;
  std::int64_t wait_ = 0;  ///< number of calls between the end of the lease and the next action
  std::int64_t checkpoint_ = first_checkpoint;
  int group_left_ = calls_per_group;
  State state_ = State::watching;
  Communicator& home_;
  Key key_;
  Counts counts_;
  Estimate estimate_;
  Samples samples_;
  Agreed agreed_;
  Own own_;
  Pairs pairs_;
  Outcome outcome_;
};

}  // namespace adcl::interpose
