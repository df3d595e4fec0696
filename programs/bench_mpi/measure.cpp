#include "measure.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "heap.hpp"
#include "windows.hpp"

namespace adcl::bench {
namespace {

constexpr int time_tag = 1;
constexpr int longest_batch = 50;
constexpr int attempts_per_repetition = 10;

void maximum(double* values, int count, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, comm);
}

/// Seconds of one call on the slowest rank, after some calls whose times are discarded.
double warm_up(Operation& operation, MPI_Comm comm, int calls) {
  double seconds = 0.0;
  for (int i = 0; i < calls + 1; ++i) {
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    operation.run();
    seconds = MPI_Wtime() - begin;
    operation.undo();
  }
  maximum(&seconds, 1, comm);
  return seconds;
}

/// Processor time of the calling process, in seconds.
double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The median over the repetitions of elapsed time divided by the busiest rank's processor time; at least 1.
double sharing_of(const std::vector<double>& seconds, const std::vector<double>& busiest) {
  std::vector<double> ratios(seconds.size());
  std::transform(seconds.begin(), seconds.end(), busiest.begin(), ratios.begin(),
                 [](double time, double processor) { return processor > 0.0 ? std::max(time / processor, 1.0) : 1.0; });
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return middle == ratios.end() ? 1.0 : *middle;
}

/// Times that a rank measured in a batch; the second half has a flag for each repetition: the rank was too late.
class Batch {
 public:
  explicit Batch(int size) : size_(size), values_(static_cast<std::size_t>(2 * size)) {}
  void set(int repetition, double seconds, bool late) {
    values_[static_cast<std::size_t>(repetition)] = seconds;
    values_[static_cast<std::size_t>(size_ + repetition)] = late ? 1.0 : 0.0;
  }
  void combine(MPI_Comm comm) { maximum(values_.data(), 2 * size_, comm); }
  [[nodiscard]] double seconds(int repetition) const { return values_[static_cast<std::size_t>(repetition)]; }
  [[nodiscard]] bool late(int repetition) const { return values_[static_cast<std::size_t>(size_ + repetition)] > 0.0; }

 private:
  int size_;
  std::vector<double> values_;
};

/// Start time of a batch on rank 0's clock, late enough for every rank. \p lead_s estimates the time of the agreement.
double agreed_begin(double lead_s, const ClockModel& clock, MPI_Comm comm) {
  double begin = clock.reference(MPI_Wtime()) + lead_s;
  MPI_Bcast(&begin, 1, MPI_DOUBLE, 0, comm);
  return begin;
}

Batch run_batch(Operation& operation, int size, double window_s, const ClockModel& clock, MPI_Comm comm) {
  Batch batch(size);
  constexpr double least_lead_s = 200e-6;
  const double first = agreed_begin(std::max(least_lead_s, 5.0 * window_s), clock, comm);
  for (int i = 0; i < size; ++i) {
    const double start = clock.own(first + i * window_s);
    const bool late = MPI_Wtime() > start;
    wait_until(start);
    const double begin = MPI_Wtime();
    operation.run();
    batch.set(i, MPI_Wtime() - begin, late);
    operation.undo();
  }
  batch.combine(comm);
  return batch;
}

}  // namespace

void MpiPeers::send(int rank, double seconds) { MPI_Send(&seconds, 1, MPI_DOUBLE, rank, time_tag, comm_); }

double MpiPeers::receive(int rank) {
  double seconds = 0.0;
  MPI_Recv(&seconds, 1, MPI_DOUBLE, rank, time_tag, comm_, MPI_STATUS_IGNORE);
  return seconds;
}

void MpiPeers::pause(double seconds) { wait_until(MPI_Wtime() + seconds); }

void wait_until(double time_s) {
#ifdef SMPI_H
  const double rest = time_s - MPI_Wtime();
  if (rest > 0.0) {
    timespec span{};
    span.tv_sec = static_cast<time_t>(rest);
    span.tv_nsec = static_cast<long>(std::ceil((rest - static_cast<double>(span.tv_sec)) * 1e9));
    nanosleep(&span, nullptr);
  }
#else
  while (MPI_Wtime() < time_s) {
  }
#endif
}

Samples measure_in_windows(Operation& operation, const ClockModel& clock, MPI_Comm comm, const Options& options) {
  Samples samples;
  Windows windows(warm_up(operation, comm, options.warmup));
  const int most = attempts_per_repetition * options.repetitions;
  int attempts = 0;
  while (static_cast<int>(samples.repetitions.size()) < options.repetitions && attempts < most) {
    const int size = std::min(longest_batch, options.repetitions - static_cast<int>(samples.repetitions.size()));
    const Batch batch = run_batch(operation, size, windows.length_s(), clock, comm);
    int missed = 0;
    double longest = 0.0;
    for (int i = 0; i < size; ++i) {
      longest = std::max(longest, batch.seconds(i));
      if (batch.late(i)) {
        ++missed;
      } else {
        samples.repetitions.push_back(batch.seconds(i));
      }
    }
    attempts += size;
    samples.discarded += missed;
    windows.absorb(size, missed, longest);
  }
  return samples;
}

Samples measure_after_barrier(Operation& operation, MPI_Comm comm, const Options& options) {
  Samples samples;
  warm_up(operation, comm, options.warmup);
  samples.repetitions.resize(static_cast<std::size_t>(options.repetitions));
  std::vector<double> busy;
  busy.reserve(samples.repetitions.size());
  for (double& seconds : samples.repetitions) {
    MPI_Barrier(comm);
    const double had = processor_time();
    const double begin = MPI_Wtime();
    operation.run();
    seconds = MPI_Wtime() - begin;
    busy.push_back(processor_time() - had);
    operation.undo();
  }
  maximum(samples.repetitions.data(), options.repetitions, comm);
  maximum(busy.data(), options.repetitions, comm);
  samples.sharing = sharing_of(samples.repetitions, busy);
  return samples;
}

Samples measure_heap(Operation& operation, MPI_Comm comm, const Options& options) {
  Samples samples;
  warm_up(operation, comm, options.warmup);
  samples.repetitions.resize(static_cast<std::size_t>(options.repetitions));
  for (double& bytes : samples.repetitions) {
    MPI_Barrier(comm);
    const std::int64_t before = heap::live_bytes();
    operation.run();
    bytes = static_cast<double>(heap::live_bytes() - before);
    operation.undo();
  }
  maximum(samples.repetitions.data(), options.repetitions, comm);
  return samples;
}

}  // namespace adcl::bench
