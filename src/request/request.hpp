/// \file request.hpp
/// A persistent operation: data, neighbors, and codelets, with the search that decides between them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan.hpp"
#include "data/parts.hpp"
#include "measure/stopwatch.hpp"
#include "request/function_set.hpp"
#include "request/plan_pool.hpp"
#include "tuner/indices.hpp"
#include "tuner/tuner_group.hpp"

namespace adcl {
struct RequestRecord;
}

namespace adcl::runtime {

/// The parts of a request, if all handles are valid.
struct RequestParts : data::Parts {
  std::shared_ptr<FunctionSetObject> set;
};

class Request {
 public:
  /// Collective over the context's communicator. \p parts: this rank's parts, or an error, which is then thrown on all
  /// ranks. \p settings: this rank's settings; rank 0's settings apply.
  static std::shared_ptr<Request> create(std::shared_ptr<mpi::Context> context, mpi::Attempt<RequestParts> parts,
                                         const std::shared_ptr<const Settings>& settings);
  /// Collective: plans may own windows and communicators.
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  void start() { start_in(Mode::blocking, buffers_); }
  void init() { init_in(Mode::split, buffers_); }
  /// Starts with other arrays of the same shape, for a request with one field and a predefined set.
  void start_with(const void* send, void* receive) { start_in(Mode::blocking_with, take_arrays(send, receive)); }
  void init_with(const void* send, void* receive) { init_in(Mode::split_with, take_arrays(send, receive)); }
  void wait();
  bool test();
  void progress(int depth);
  void start_overlap(const std::function<void()>& mid, const std::function<void()>& end,
                     const std::function<void()>& total);
  void update(double seconds);
  /// Withdraws the decision of the mode used last, if any. Before the first start, it makes modes verify primed
  /// results. Collective.
  void verify();
  /// From now on, \p deciders select candidates and receive the times; candidates are numbered as in group(). Null:
  /// group() decides. \p owner: the object that decides for several requests together. The request must not be in
  /// flight. Called at the same start on all ranks.
  void set_deciders(std::shared_ptr<Deciders> deciders, const void* owner = nullptr);
  /// The owner of the deciders; null if there is none, or if it is \p self.
  [[nodiscard]] const void* other_owner(const void* self) const noexcept {
    return decider_owner_ == self ? nullptr : decider_owner_;
  }
  /// Removes the owner of the deciders, but keeps the deciders.
  void clear_owner() noexcept { decider_owner_ = nullptr; }
  /// Reports that the user-defined codelet that runs, or ran last, failed on this rank. All ranks drop its candidate at
  /// their next agreement. Local.
  void codelet_failed(const std::string& reason);
  /// Sets the name for reports and traces. Local.
  void set_name(const std::string& name);
  /// Keeps the summaries of its searches for the report. Local.
  void report() const { group_->report(); }

  /// The vector's address has changed: frees plans that are bound to addresses; the next start creates them again.
  /// Collective.
  void rebind();
  [[nodiscard]] bool uses(const data::Vector* vector) const noexcept;
  /// Throws Error(state) if the request is in flight or a user-defined function runs for it.
  void require_idle() const;

  /// The reason why the request cannot be started, freed, or rebound.
  enum class Busy : int {
    no,         ///< none
    in_flight,  ///< an operation was started and is not complete
    in_call     ///< a user-defined function runs for it
  };
  /// Marks the request as running a user-defined function during the lifetime of this object.
  class Call {
   public:
    explicit Call(Request& request) : request_(request), before_(request.busy_) { request.busy_ = Busy::in_call; }
    ~Call() { request_.busy_ = before_; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Request& request_;
    Busy before_;
  };

  [[nodiscard]] bool decided() const;
  [[nodiscard]] std::string current_codelet() const;
  [[nodiscard]] std::string winner() const;
  [[nodiscard]] const RequestParts& parts() const noexcept { return parts_; }
  [[nodiscard]] mpi::Context& context() const noexcept { return *context_; }
  /// Attribute values of the codelet that runs or ran last. Throws Error(state) before the first start.
  [[nodiscard]] const std::vector<int>& attribute_values() const;
  [[nodiscard]] const std::shared_ptr<mpi::Context>& shared_context() const noexcept { return context_; }
  [[nodiscard]] const std::shared_ptr<TunerGroup>& shared_group() const noexcept { return group_; }
  [[nodiscard]] const TunerGroup& group() const noexcept { return *group_; }
  /// Results about a candidate of the problem, in the mode used last.
  [[nodiscard]] measure::Numbers numbers(Candidate candidate) const;
  void prime(std::vector<measure::Numbers> known) { group_->prime(std::move(known)); }
  /// Sort key that orders requests in the same way on all ranks of their communicators.
  [[nodiscard]] std::pair<mpi::Context::Order, std::int64_t> order() const { return {context_->order(), id_}; }
  /// The communicator of user-defined codelets; for predefined sets, the context's communicator.
  [[nodiscard]] MPI_Comm codelets_comm() const { return user_comm_ != nullptr ? user_comm_->get() : context_->comm(); }

  /// The handle that user-defined codelets receive.
  ADCL_Request_s* handle = nullptr;
  void* user_context = nullptr;

 private:
  /// A mode, and the candidate that ran in it.
  struct Use {
    Mode mode = Mode::blocking;
    Candidate candidate = no_candidate;
  };
  /// The next operation: a codelet's plan, the decider that chose it, and whether to measure it.
  struct NextOperation {
    Plan* plan = nullptr;
    select::Ticket ticket;
    Decider* decider = nullptr;
    Candidate candidate = no_candidate;
    const Capabilities* capabilities = nullptr;
    bool measured = false;
  };
  /// An operation that was started and is not complete.
  struct Flight {
    Plan* plan = nullptr;
    select::Ticket ticket;
    Mode mode = Mode::split;
    measure::Stopwatch watch;
    const Capabilities* capabilities = nullptr;  ///< of the codelet; a blocking codelet runs entirely in wait()
    Buffers buffers;

    [[nodiscard]] bool deferred() const noexcept { return !capabilities->nonblocking; }
  };
  /// The plan that a mode runs in production without consulting the decider.
  struct Ready {
    Plan* plan = nullptr;  ///< the winner's plan; null while searching
    std::shared_ptr<LeaseCounter> lease;
    Use use;
    const Capabilities* capabilities = nullptr;  ///< of the winner
  };
  /// The arrays of start_with() and init_with().
  struct OtherArrays {
    std::array<FieldBuffers, 1> given;
    bool accepted = false;   ///< the request accepts other arrays
    bool one_array = false;  ///< the request sends from the array into which it receives
  };

  Request();
  friend class RequestBuilder;

  void start_in(Mode mode, Buffers buffers) {
    Ready& ready = ready_.at(index_of(mode));
    if (ready.plan != nullptr && busy_ == Busy::no && --ready.lease->left >= 0) [[likely]] {
      last_ = ready.use;
      ready.plan->run(buffers);
      return;
    }
    start_searching(mode, buffers);
  }
  void start_searching(Mode mode, Buffers buffers);
  void init_in(Mode mode, Buffers buffers);
  Buffers take_arrays(const void* send, void* receive) {
    const bool usual = busy_ == Busy::no && others_.accepted && send != nullptr && receive != nullptr &&
                       (send == receive) == others_.one_array;
    others_.given.front() = usual ? FieldBuffers{send, receive} : check_arrays(send, receive);
    return others_.given;
  }
  [[nodiscard]] FieldBuffers check_arrays(const void* send, void* receive) const;
  void set_ready(const NextOperation& next);
  void clear_ready();
  NextOperation next_operation(Mode mode);
  /// Runs \p operation and passes its time to the decider if it is measured.
  template <typename Operation>
  void run_operation(const NextOperation& next, const Operation& operation);
  PlanPointer make_plan(Candidate candidate);
  [[nodiscard]] select::Ticket limit_to_made_plans(select::Ticket ticket, Mode mode, const Decider& decider) const;
  [[nodiscard]] Candidate production_candidate(Mode mode, const Decider& decider) const;
  /// Returns the index of the candidate in the mode; std::nullopt if the mode does not admit it.
  [[nodiscard]] std::optional<ModeCandidate> find_member(Mode mode, const Decider& decider, Candidate candidate) const;
  [[noreturn]] void throw_no_codelet(Mode mode, const Decider& decider) const;
  void overlap(Plan& plan, const std::function<void()>& mid);
  void free_unneeded_plans();
  void update_addresses();
  void begin_flight(const Flight& flight);
  void complete(const Flight& flight);
  void end_failed_step();
  void require_flight() const;
  void synchronize(const Decider& decider) const;
  [[nodiscard]] const Codelet& row(Candidate candidate) const;

  // A production start reads only these members.
  Busy busy_ = Busy::no;
  Use last_;
  Buffers buffers_;  ///< refers to addresses_
  OtherArrays others_;
  std::array<Ready, mode_count> ready_;
  std::vector<FieldBuffers> addresses_;
  std::shared_ptr<mpi::Context> context_;
  std::shared_ptr<mpi::Communicator> user_comm_;  ///< set if the request has user-defined codelets
  RequestParts parts_;
  std::unique_ptr<Problem> problem_;
  std::shared_ptr<TunerGroup> group_;
  std::shared_ptr<Deciders> deciders_;  ///< group_, or its replacement
  const void* decider_owner_ = nullptr;
  std::vector<Row> rows_;  ///< rows of the function set, one per candidate
  PlanPool plans_;
  std::vector<std::string> excluded_;     ///< the set's other codelets: "name: reason"
  std::array<int, mode_count> phases_{};  ///< phase() of the decider when plans were last freed; 0: never
  Flight flight_;
  select::Ticket last_ticket_{0, -1, 0};
  std::int64_t id_ = 0;
  int tag_base_ = 0;
  int tag_span_ = 0;
};

/// For the trace: \p request, whose search \p subject describes, without features, exclusions and priors.
RequestRecord request_record(long long request, const select::Subject& subject, int ranks, const Settings& settings);

}  // namespace adcl::runtime
