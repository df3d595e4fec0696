/// \file timer.hpp
/// Decides for several requests at once, by the time of a program section that the application marks.
/// Source: thesis chapter 6.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpi/context.hpp"
#include "options/options.hpp"
#include "request/request.hpp"
#include "select/subject.hpp"
#include "timer/combinations.hpp"
#include "tuner/tuner.hpp"

namespace adcl::runtime {

/// Measures the time from start() to stop(), with everything in between. ADCL_TIMER_INTERVAL of these times are one
/// measurement; the ranks synchronize before the first and after the last of these times. A candidate of the search is
/// a meta-codelet: one codelet for each mode of each function set's problem that the requests used between the first
/// start() and stop(). Requests that share a search run the same codelet. Requests decide for themselves in modes that
/// they use for the first time later.
///
/// Up to ADCL_TIMER_COMBINATIONS combinations are candidates of one search. Otherwise, the timer searches one
/// coordinate after the other, while the other coordinates keep their best candidates, until a round changes nothing,
/// and for at most three rounds.
///
/// All ranks take the same branch: a Tuner joins each search with MPI, and everything else depends on the number of
/// calls of start() and stop() and on the order in which requests start between them.
class Timer : public std::enable_shared_from_this<Timer> {
 public:
  static std::shared_ptr<Timer> make() { return std::shared_ptr<Timer>(new Timer()); }
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Local. Throws Error(state) while the timer runs. Throws Error(argument) in add() for a request that is already in
  /// the timer, and in remove() for a request that is not.
  void add(std::shared_ptr<Request> request);
  void remove(const Request* request);
  /// Begins a search: from now on, this timer decides for its requests, and removed requests decide for themselves.
  /// Collective over the communicator of the first request. Throws the same error on all ranks: Error(state) for a
  /// request that is in flight or in another timer, Error(argument) for communicators of different processes.
  void commit(const std::shared_ptr<const Settings>& settings);
  void start();
  void stop();
  /// The requests keep the winners; without winners, they decide for themselves from now on. Collective, since this
  /// destroys requests that were freed earlier.
  void release();

  [[nodiscard]] const std::vector<std::shared_ptr<Request>>& requests() const noexcept { return requests_; }
  /// Throws Error(state) while the timer runs or one of its requests is in flight.
  void require_idle() const;
  /// Keeps the summary of its search for the report. Local.
  void report() const;
  /// True after a final or provisional decision.
  [[nodiscard]] bool has_winner() const noexcept;

 private:
  class Part;
  class Members;
  /// A group of tuners, and the mode in which a request uses it.
  using Use = std::pair<const TunerGroup*, Mode>;

  /// Combinations that one search compares.
  struct Stage {
    Combinations combinations;
    std::vector<bool> dropped;            ///< per choice
    std::unique_ptr<Tuner> search;        ///< null before the first stop()
    std::shared_ptr<LeaseCounter> lease;  ///< starts of the timer that do not consult the search; null: all consult it
  };
  /// One measurement: ADCL_TIMER_INTERVAL times from start() to stop().
  struct Lap {
    select::Ticket ticket;
    bool invalid = false;        ///< the lap contains several combinations
    bool needed = false;         ///< the search needs this time
    int times = 0;               ///< number so far
    double begin_s = 0.0;        ///< start of the current section
    double preparation_s = 0.0;  ///< time spent on plans during the current section
    double measured_s = 0.0;     ///< sum of the times
  };

  Timer();
  void require_stopped() const;
  void require_compatible() const;
  void find_parts();
  void begin_search();
  void begin_stage();
  [[nodiscard]] select::Subject subject_of_stage() const;
  void begin_search_of(select::Subject subject);
  void end_stage();
  void next();
  void apply(int combination);
  void renew();
  void reopen(const std::string& reason);
  void amend(double seconds);
  void drop(Part& part, int candidate, const std::string& reason);
  [[nodiscard]] int winner_of(const Part& part) const noexcept;

  std::vector<std::shared_ptr<Request>> requests_;
  std::vector<std::shared_ptr<Request>> removed_;  ///< since the last commit()
  std::shared_ptr<mpi::Context> context_;
  std::shared_ptr<const Settings> settings_;
  bool committed_ = false;
  bool running_ = false;
  bool decided_ = false;
  int decisions_ = 0;
  std::map<Use, std::unique_ptr<Part>> parts_;  ///< one for each mode used since commit()
  std::vector<Part*> coordinates_;              ///< the parts that the search varies
  Stage stage_;
  Lap lap_;
};

}  // namespace adcl::runtime
