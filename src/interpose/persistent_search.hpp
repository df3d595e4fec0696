/// \file persistent_search.hpp
/// Chooses between the MPI library's persistent collective and a codelet, start by start.
///
/// MPI_Start must not wait for another rank. Therefore the search differs from Search: the only candidate is a codelet
/// that sends all its messages at the start, its plan is created in the initialization call, and agreements are posted
/// at a start and complete with the operation, because the completion of a collective may wait for the starts of the
/// other ranks.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codelets/collectives/one_round.hpp"
#include "interpose/data_path.hpp"
#include "interpose/search.hpp"
#include "select/gain.hpp"

namespace adcl::interpose {

/// The search of one persistent request; after the request is freed, it may serve another one with the same key. All
/// ranks start it in the same order.
class PersistentSearch {
 public:
  /// Creates the codelet's plan. Collective over \p context; throws the same error on all ranks.
  PersistentSearch(const Key& key, MPI_Comm comm, std::shared_ptr<mpi::Context> context);
  ~PersistentSearch();
  PersistentSearch(const PersistentSearch&) = delete;
  PersistentSearch& operator=(const PersistentSearch&) = delete;

  /// Begins to serve a request with the significant arguments \p call. Local.
  void attach(const CollectiveCall& call);
  /// The request is freed. Local.
  void detach() noexcept;
  [[nodiscard]] bool attached() const noexcept { return served_.attached; }
  [[nodiscard]] const Key& key() const noexcept { return key_; }
  [[nodiscard]] const mpi::Context& context() const noexcept { return *context_; }
  /// The program frees the communicator.
  void forget_communicator() noexcept { comm_ = MPI_COMM_WORLD; }
  /// Whether the MPI library's operation runs permanently.
  [[nodiscard]] bool is_over() const noexcept { return state_ == State::native; }

  /// Starts an operation. \p native starts the MPI library's request. Never waits. Returns MPI's code.
  int start(const NativeCall& native);
  /// Whether an operation is in flight that finish() must complete.
  [[nodiscard]] bool in_flight() const noexcept { return flight_.active; }
  /// Whether the codelet performs the operation in flight; otherwise the MPI library's request does.
  [[nodiscard]] bool runs_codelet() const noexcept { return flight_.codelet; }
  [[nodiscard]] bool is_timed() const noexcept { return flight_.timed; }
  /// Makes progress without waiting. Returns whether the operation is complete, except for the MPI library's request.
  bool poll();
  /// Adds time that this rank has spent in calls for the operation.
  void add_seconds(double seconds) noexcept { flight_.seconds += seconds; }
  /// Ends the operation after poll() has returned true and the MPI library's request is complete. Returns MPI's code.
  int finish();
  /// The communicator on which waiting ranks let MPI make progress.
  [[nodiscard]] MPI_Comm progress_comm() const noexcept { return context_->comm(); }

  [[nodiscard]] Summary summary() const;

 private:
  /// The operation in flight.
  struct Flight {
    bool active = false;
    bool codelet = false;
    bool timed = false;
    bool failed = false;
    bool moved = false;  ///< the codelet is complete
    int sample = -1;     ///< index among the samples of the batch
    double seconds = 0.0;
    Arrays arrays;
  };
  /// A reduction with MAX that is posted at a start and completes with the operation.
  class Agreement {
   public:
    Agreement() = default;
    ~Agreement();
    Agreement(const Agreement&) = delete;
    Agreement& operator=(const Agreement&) = delete;
    /// Collective; does not wait.
    void post(std::vector<double> numbers, MPI_Comm comm);
    [[nodiscard]] bool active() const noexcept { return active_; }
    /// Whether the result has arrived. Lets MPI make progress.
    [[nodiscard]] bool arrived();
    /// Returns the result after arrived().
    std::span<const double> take();

   private:
    MPI_Request request_ = MPI_REQUEST_NULL;
    std::vector<double> own_;
    std::vector<double> all_;
    bool active_ = false;
  };
  /// A copy of a derived datatype, which the program may free.
  class KeptType {
   public:
    KeptType() = default;
    ~KeptType() { release(); }
    KeptType(const KeptType&) = delete;
    KeptType& operator=(const KeptType&) = delete;
    void keep(MPI_Datatype& type);
    void release() noexcept;

   private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
  };
  /// The codelet and its data.
  struct Candidate {
    std::unique_ptr<Problem> problem;
    codelets::OneRound codelet;
    DataPath path;
  };
  /// The program's request that uses this search.
  struct Served {
    bool attached = false;
    bool started = false;
    CollectiveCall call;
    std::array<KeptType, 2> types;
  };
  /// The pairs of a batch.
  struct Pairs {
    select::BatchTimes times;
    int pair = 0;
    int position = 0;
    std::vector<double> ratios;
  };
  struct Numbers {
    double native_s = 0.0;
    double codelet_s = 0.0;
    double spent_s = 0.0;
    double budget = 0.0;
  };
  struct Counts {
    std::int64_t native = 0;
    std::int64_t candidate = 0;
    std::int64_t production = 0;
    [[nodiscard]] std::int64_t all() const noexcept { return native + candidate + production; }
  };
  /// This rank's numbers.
  struct Own {
    double seconds = 0.0;  ///< in the timed operations of State::watching
    int number = 0;
    bool failed = false;  ///< a codelet has failed
    [[nodiscard]] double mean() const noexcept { return number > 0 ? seconds / number : 0.0; }
  };
  struct Outcome {
    std::string winner;
    std::string reason;
    std::optional<select::Gain> proof;
  };

  void choose();
  void post();
  void start_codelet();
  void absorb();
  void begin_batch();
  void absorb_batch(std::span<const double> all);
  void judge();
  void wait_until_paid();
  void keep_native(const std::string& reason);

  Key key_;
  MPI_Comm comm_;
  std::shared_ptr<mpi::Context> context_;
  Candidate candidate_;
  Served served_;
  State state_ = State::watching;
  std::int64_t wait_ = first_checkpoint;  ///< starts before the next action
  Flight flight_;
  Agreement agreement_;
  Own own_;
  Pairs pairs_;
  Numbers agreed_;
  Counts counts_;
  Outcome outcome_;
};

}  // namespace adcl::interpose
