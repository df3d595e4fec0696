/// \file timer.hpp
/// Decides for several requests at once, by the time of a part of the program that the application marks.
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

/// What is measured is the time from start() to stop(), with all that happens in between; the ranks meet before the
/// first and after the last of ADCL_TIMER_INTERVAL such times, which together are one measurement. A candidate of the
/// search is a meta-codelet: one codelet for each way of use of each function set's problem that the requests were used
/// in between the first start() and stop(). Requests that share a search run the same codelet. What is first used later
/// decides for itself.
///
/// Up to ADCL_TIMER_COMBINATIONS, all combinations are candidates of one search. Beyond, the coordinates are searched
/// one after the other, the others as they were best, until a round changes nothing, and in three rounds at most.
///
/// Why all ranks take the same branch: searches are joined with MPI by a Tuner each, and everything else depends on
/// how often start() and stop() were called and in which order requests were started between them.
class Timer : public std::enable_shared_from_this<Timer> {
 public:
  static std::shared_ptr<Timer> make() { return std::shared_ptr<Timer>(new Timer()); }
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Local. Throws Error(state) while the timer runs, Error(argument) for a request that is in it (or, remove(), not).
  void add(std::shared_ptr<Request> request);
  void remove(const Request* request);
  /// The requests decide by this timer from now on, and those that were removed by themselves; a search begins.
  /// Collective over the communicator of the first request. Throws the same error on all ranks: Error(state) for a
  /// request that is in flight or in another timer, Error(argument) for communicators of different processes.
  void commit(const std::shared_ptr<const Settings>& settings);
  void start();
  void stop();
  /// The requests keep the winners; where there are none yet, they decide by themselves from now on. Collective, since
  /// requests that were freed before end here.
  void release();

  [[nodiscard]] const std::vector<std::shared_ptr<Request>>& requests() const noexcept { return requests_; }
  /// Throws Error(state) while the timer runs, or a request of it is in flight.
  void require_idle() const;
  /// Keeps the summary of its search for the report. Local.
  void report() const;
  /// Decided, or provisionally so.
  [[nodiscard]] bool settled() const noexcept;

 private:
  class Part;
  class Members;
  /// A part of a request's: the group of searches that it would take part in, and the way of use.
  using Use = std::pair<const TunerGroup*, Mode>;

  /// Combinations that one search compares.
  struct Stage {
    Combinations combinations;
    std::vector<bool> dropped;         ///< choices
    std::unique_ptr<Tuner> search;     ///< null before the first stop()
    std::shared_ptr<Licence> licence;  ///< starts of the timer that need not ask; null: each asks
  };
  /// One measurement: ADCL_TIMER_INTERVAL times from start() to stop().
  struct Lap {
    select::Ticket ticket;
    bool spoiled = false;        ///< of several combinations
    bool wanted = false;         ///< by the search
    int times = 0;               ///< so far
    double begin_s = 0.0;        ///< of the time that is running
    double preparation_s = 0.0;  ///< of plans, in it
    double measured_s = 0.0;     ///< sum of the times
  };

  Timer();
  void require_compatible() const;
  Part& part(const std::shared_ptr<TunerGroup>& group, Mode mode);
  [[nodiscard]] bool governs(const TunerGroup* group, Mode mode) const;
  void discover();
  void begin_search();
  void begin_stage();
  void begin_search_of(select::Subject subject);
  void end_stage();
  void next();
  void take(int combination);
  void renew();
  void reopen(const std::string& reason);
  void amend(double seconds);
  void drop(Part& part, int candidate, const std::string& reason);
  void drop_failed();
  [[nodiscard]] int winner_of(const Part& part) const noexcept;
  [[nodiscard]] std::string name_of(const std::vector<int>& choice) const;

  std::vector<std::shared_ptr<Request>> requests_;
  std::vector<std::shared_ptr<Request>> removed_;  ///< since the last commit()
  std::shared_ptr<mpi::Context> context_;
  std::shared_ptr<const Settings> settings_;
  bool committed_ = false;
  bool running_ = false;
  bool decided_ = false;
  int decisions_ = 0;
  std::map<Use, std::unique_ptr<Part>> parts_;  ///< of all ways of use since commit()
  std::vector<Part*> coordinates_;              ///< of those that the search decides about
  Stage stage_;
  Lap lap_;
};

}  // namespace adcl::runtime
