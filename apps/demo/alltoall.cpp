#include "alltoall.hpp"

#include <ADCL.h>
#include <mpi.h>

#include <algorithm>
#include <array>

#include "common/adcl_requests.hpp"
#include "common/app.h"

namespace demo {
namespace {

using apps::check;

class Alltoall {
 public:
  Alltoall(int bytes, const Limits& limits) : bytes_(bytes) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    sent_.resize(static_cast<std::size_t>(ranks_) * static_cast<std::size_t>(bytes));
    received_.resize(sent_.size());
    for (std::size_t i = 0; i < sent_.size(); ++i) {
      sent_[i] = value(rank_, i);
    }
    calls_ = measure(limits);
  }
  Alltoall(const Alltoall&) = delete;
  Alltoall& operator=(const Alltoall&) = delete;
  ~Alltoall() {
    if (request_ != ADCL_REQUEST_NULL) {
      ADCL_Request_free(&request_);
      ADCL_Finalize();
    }
  }

  void call_mpi(int calls) {
    for (int i = 0; i < calls; ++i) {
      MPI_Alltoall(sent_.data(), bytes_, MPI_CHAR, received_.data(), bytes_, MPI_CHAR, MPI_COMM_WORLD);
    }
  }

  /// The first call creates the request.
  void call_adcl(int calls) {
    if (request_ == ADCL_REQUEST_NULL) {
      check(ADCL_Init());
      check(ADCL_Alltoall_init(sent_.data(), bytes_, MPI_CHAR, received_.data(), bytes_, MPI_CHAR, MPI_COMM_WORLD,
                               &request_));
    }
    for (int i = 0; i < calls; ++i) {
      check(ADCL_Request_start(request_));
    }
  }

  /// Runs a part of a round.
  Run run_part(std::size_t i) { return run_part(i, calls_); }

  /// Runs less than a part of a round.
  Run run_search_part() { return run_part(1, search_calls()); }

  [[nodiscard]] bool search_has_ended() const { return !winner().empty(); }
  [[nodiscard]] int search_calls() const { return std::max(calls_ / 10, 1); }
  [[nodiscard]] int calls() const { return calls_; }

  /// "" while ADCL searches.
  [[nodiscard]] std::string winner() const {
    std::array<char, ADCL_MAX_NAME> name{};
    check(ADCL_Request_get_winner(request_, name.data(), static_cast<int>(name.size())));
    return name.data();
  }

 private:
  Run run_part(std::size_t i, int calls) {
    std::fill(received_.begin(), received_.end(), '\0');
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    i == 0 ? call_mpi(calls) : call_adcl(calls);
    const double seconds = largest(MPI_Wtime() - begun);
    return {.seconds = seconds, .fault = is_right() ? "" : "wrong data", .answer = 0};
  }

  /// Opens all connections; returns the number of calls per round.
  int measure(const Limits& limits) {
    constexpr int few = 10;
    call_mpi(few);
    const double begun = MPI_Wtime();
    call_mpi(few);
    return repetitions((MPI_Wtime() - begun) / few, 2, limits);
  }

  static char value(int rank, std::size_t place) {
    return static_cast<char>(app_mix(static_cast<std::uint64_t>(rank) << 32U ^ place) & 0x7fU);
  }

  /// Returns true if the last call delivered the other ranks' data. Collective.
  bool is_right() {
    int right = 1;
    const auto block = static_cast<std::size_t>(bytes_);
    for (std::size_t i = 0; i < received_.size(); ++i) {
      const std::size_t place = static_cast<std::size_t>(rank_) * block + i % block;
      right = right == 1 && received_[i] == value(static_cast<int>(i / block), place) ? 1 : 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return right == 1;
  }

  int bytes_;
  int calls_ = 0;
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<char> sent_;
  std::vector<char> received_;
  ADCL_Request request_ = ADCL_REQUEST_NULL;
};

}  // namespace

Comparison compare_alltoall(int bytes, const Limits& limits) {
  Alltoall alltoall(bytes, limits);
  Comparison result;
  finish_searches([&alltoall] { return alltoall.run_search_part(); },
                  [&alltoall] { return alltoall.search_has_ended(); }, alltoall.search_calls(), limits, result);
  run_rounds(
      {"mpi", "adcl"}, [&alltoall](std::size_t i) { return alltoall.run_part(i); }, limits, result);
  result.record["tuning"] = nlohmann::json::array({{{"winner", alltoall.winner()}}});
  result.record["bytes"] = bytes;
  result.record["calls"] = alltoall.calls();
  return result;
}

}  // namespace demo
