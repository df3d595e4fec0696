#include "program.hpp"

#include <ADCL.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>

#include "heap.hpp"
#include "process_memory.hpp"
#include "record.hpp"

namespace adcl::bench {
namespace {

constexpr int done = 0;
constexpr int failed = 1;
constexpr int usage_error = 2;

/// The functions that --functions and --codelets select.
Functions chosen(const Options& options, const Functions& table) {
  Functions functions;
  for (const std::string& name : options.functions) {
    functions.push_back(
        *std::find_if(table.begin(), table.end(), [&](const Function& row) { return row.name == name; }));
  }
  for (const std::string& choice : options.codelets) {
    const Functions codelets = codelet_functions(choice);
    functions.insert(functions.end(), codelets.begin(), codelets.end());
  }
  // The memory of the process is measured last, after all other functions have run.
  std::stable_partition(functions.begin(), functions.end(),
                        [](const Function& function) { return !is_of_process(function.measured); });
  return functions;
}

int maximum(int value, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, comm);
  return value;
}

/// Lines on standard output or in a file, written by rank 0.
class Output {
 public:
  /// Collective. Throws UsageError on all ranks.
  Output(const std::string& path, int rank, MPI_Comm comm) : writes_(rank == 0) {
    if (writes_ && !path.empty()) {
      file_.open(path);
    }
    if (maximum(file_.fail() ? 1 : 0, comm) != 0) {
      throw UsageError("--output: cannot write to " + path);
    }
  }
  void write(const Json& record) {
    if (writes_) {
      (file_.is_open() ? static_cast<std::ostream&>(file_) : std::cout) << record.dump() << '\n' << std::flush;
    }
  }
  [[nodiscard]] bool failed() const { return file_.fail() || std::cout.fail(); }

 private:
  bool writes_;
  std::ofstream file_;
};

/// A run of the program on one rank.
class Bench {
 public:
  Bench(MPI_Comm comm, Options options, const Functions& table, std::optional<ProcessMemory> memory_before_mpi);
  ~Bench() {
    int initialized = 0;
    ADCL_Initialized(&initialized);
    if (initialized != 0) {
      ADCL_Finalize();
    }
    MPI_Comm_free(&clock_comm_);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Throws UsageError or MeasurementError, on all ranks.
  void run();

 private:
  void check_measurable(const Functions& functions) const;
  void measure(const Function& function, std::size_t bytes);
  /// Runs every function once; later calls have no effect.
  void run_all_functions();
  void measure_process(const Function& function);
  Samples samples_of(const Function& function, Operation& operation);
  void check_result(const Function& function, Operation& operation) const;
  Samples timed(Operation& operation);
  void say(const std::string& what) const;

  Setting setting_;
  Options options_;
  const Functions& table_;
  std::optional<ProcessMemory> memory_before_mpi_;
  MPI_Comm clock_comm_ = MPI_COMM_NULL;  ///< only for messages of the synchronization
  Machine machine_;
  Synchronization synchronization_{"none", 0.0};
  bool all_functions_ran_ = false;
  Output output_;
};

Setting setting_of(MPI_Comm comm, const Options& options) {
  Setting setting;
  setting.comm = comm;
  setting.block = options.block;
  setting.components = options.components;
  MPI_Comm_rank(comm, &setting.rank);
  MPI_Comm_size(comm, &setting.size);
  return setting;
}

Bench::Bench(MPI_Comm comm, Options options, const Functions& table, std::optional<ProcessMemory> memory_before_mpi)
    : setting_(setting_of(comm, options)),
      options_(std::move(options)),
      table_(table),
      memory_before_mpi_(memory_before_mpi),
      machine_(find_machine(comm)),
      output_(options_.output, setting_.rank, comm) {
  MPI_Comm_dup(comm, &clock_comm_);
}

void Bench::say(const std::string& what) const {
  if (setting_.rank == 0) {
    std::cerr << "adcl-bench: " << what << '\n';
  }
}

void Bench::check_measurable(const Functions& functions) const {
  for (const Function& function : functions) {
    if (function.measured == Measured::time && machine_.oversubscribed && !options_.oversubscribed) {
      throw UsageError(
          std::to_string(machine_.max_ranks_per_host) + " ranks on a host with " +
          std::to_string(machine_.min_cores_per_host) +
          " cores: the times would depend on the scheduler; use fewer ranks, or pass --oversubscribed, which "
          "marks the records");
    }
    if (function.measured == Measured::heap && !heap::is_counted()) {
      throw UsageError(function.name + ": this build cannot count allocations (a simulator's ranks share one process)");
    }
    if (is_of_process(function.measured) && (machine_.simulated || !memory_before_mpi_)) {
      throw UsageError(function.name + ": this system does not report the memory of a process");
    }
  }
}

void Bench::run() {
  const Functions functions = chosen(options_, table_);
  check_measurable(functions);
  for (const Function& function : functions) {
    if (is_of_process(function.measured)) {
      measure_process(function);
      continue;
    }
    const std::vector<std::size_t> one_size{0};
    for (const std::size_t bytes : function.unit_bytes > 0 ? options_.bytes : one_size) {
      measure(function, bytes);
    }
  }
  if (maximum(output_.failed() ? 1 : 0, setting_.comm) != 0) {
    throw MeasurementError("the records could not be written to " +
                           (options_.output.empty() ? "standard output" : options_.output));
  }
}

void Bench::check_result(const Function& function, Operation& operation) const {
  int wrong = operation.correct() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, setting_.comm);
  operation.undo();
  if (wrong > 0) {
    throw MeasurementError(function.name + " has a wrong result on " + std::to_string(wrong) + " of " +
                           std::to_string(setting_.size) + " ranks");
  }
}

Samples Bench::timed(Operation& operation) {
  if (options_.start == Start::barrier) {
    return measure_after_barrier(operation, setting_.comm, options_);
  }
  ClockModel clock;
  synchronization_ = {"global", 0.0};
  if (!machine_.global_clock) {
    MpiPeers peers(clock_comm_);
    constexpr int exchanges = 10;
    clock = synchronize(peers, setting_.rank, setting_.size, SyncSettings{});
    synchronization_ = {"hca3", remaining_error(peers, clock, setting_.rank, setting_.size, exchanges)};
    MPI_Allreduce(MPI_IN_PLACE, &synchronization_.error_s, 1, MPI_DOUBLE, MPI_MAX, setting_.comm);
  }
  return measure_in_windows(operation, clock, setting_.comm, options_);
}

Samples Bench::samples_of(const Function& function, Operation& operation) {
  if (function.measured == Measured::heap) {
    return measure_heap(operation, setting_.comm, options_);
  }
  return timed(operation);
}

void Bench::measure(const Function& function, std::size_t bytes) {
  setting_.bytes = bytes;
  try {
    const OperationPointer operation = function.make(setting_);
    check_result(function, *operation);
    const Samples samples = samples_of(function, *operation);
    if (samples.repetitions.empty()) {
      throw MeasurementError(function.name + ": a rank was too late for each of " + std::to_string(samples.discarded) +
                             " windows; use --start barrier, or fewer ranks than cores");
    }
    output_.write(record_of(function, setting_, samples, machine_, synchronization_, options_));
  } catch (const NotApplicable& reason) {
    say(function.name + " is skipped: " + reason.what());
  }
}

void Bench::run_all_functions() {
  if (all_functions_ran_) {
    return;
  }
  all_functions_ran_ = true;
  setting_.bytes = options_.bytes.front();
  for (const Function& function : table_) {
    if (function.make) {
      const OperationPointer operation = function.make(setting_);
      operation->run();
      operation->undo();
    }
  }
  MPI_Barrier(setting_.comm);
}

void Bench::measure_process(const Function& function) {
  run_all_functions();
  const ProcessMemory now = process_memory().value_or(ProcessMemory{});
  const std::int64_t grown = function.measured == Measured::share
                                 ? now.share_bytes - memory_before_mpi_->share_bytes
                                 : now.resident_bytes - memory_before_mpi_->resident_bytes;
  Samples samples{{static_cast<double>(grown)}, 0};
  MPI_Allreduce(MPI_IN_PLACE, samples.repetitions.data(), 1, MPI_DOUBLE, MPI_MAX, setting_.comm);
  output_.write(record_of(function, setting_, samples, machine_, synchronization_, options_));
}

int run_ranks(const std::string& name, const std::vector<std::string>& arguments, const Functions& table,
              std::optional<ProcessMemory> memory_before_mpi) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto say = [&](std::ostream& stream, const std::string& text) {
    if (rank == 0) {
      stream << text << std::flush;
    }
  };
  try {
    Options options = parse_options(arguments, table);
    if (options.help || options.list) {
      say(std::cout,
          options.help ? help_text(name) : list_text(options.codelets.empty() ? table : chosen(options, table)));
      return done;
    }
    Bench bench(MPI_COMM_WORLD, std::move(options), table, memory_before_mpi);
    bench.run();
    return done;
  } catch (const UsageError& error) {
    say(std::cerr, name + ": " + error.what() + "\n");
    return usage_error;
  } catch (const MeasurementError& error) {
    say(std::cerr, name + ": " + error.what() + "\n");
    return failed;
  }
}

}  // namespace

int run_program(int argc, char** argv, const std::string& name, const Functions& table) {
  // In a simulator all ranks share one process, so the memory of a rank is unknown.
  const std::optional<ProcessMemory> memory_before_mpi = simulator ? std::nullopt : process_memory();
  MPI_Init(&argc, &argv);
  int code = failed;
  try {
    code = run_ranks(name, {argv + 1, argv + argc}, table, memory_before_mpi);
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, failed);
  }
  MPI_Finalize();
  return code;
}

}  // namespace adcl::bench
