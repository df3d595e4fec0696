/// \file function.hpp
/// What can be measured: one row per function.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace adcl::bench {

/// Where and with how much a function runs.
struct Setting {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  std::size_t bytes = 0;  ///< of the message; of each block where every pair of ranks has one of its own
  int block = 16;         ///< points of a rank's block in each dimension
};

/// A function cannot be had here, on no rank.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Something could not be measured; all ranks know.
class MeasurementError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A function that is ready to be measured, buffers included. run() and what else it has are collective.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;
  virtual void run() = 0;
  /// Takes back what run() made, where that is an object; not measured.
  virtual void undo() {}
  /// Runs once more and looks whether this rank then holds what it should.
  virtual bool correct() {
    run();
    return true;
  }
};
using OperationPointer = std::unique_ptr<Operation>;

enum class Measured {
  time,      ///< seconds that a call takes
  heap,      ///< bytes that a call leaves allocated
  share,     ///< bytes of the process that belong to MPI; what n processes share counts as 1/n
  resident,  ///< the same, what processes share counting in full
};

constexpr bool is_of_process(Measured measured) {
  return measured == Measured::share || measured == Measured::resident;
}

struct Function {
  std::string name;
  Measured measured = Measured::time;
  std::string expectation;  ///< big O in the ranks p, as `adcl scale` reads it
  std::string summary;
  std::size_t unit_bytes = 0;  ///< messages are multiples of it; 0: there is no message
  bool has_block = false;      ///< works on blocks of a grid
  /// Collective; may throw NotApplicable. Functions of which the process's memory is measured have none.
  std::function<OperationPointer(const Setting&)> make{};
  bool nonblocking = false;  ///< a call that returns at once, and the wait for it
};
using Functions = std::vector<Function>;

/// Collectives that move data, and the barrier; the litmus test; functions that create objects; MPI's memory. The first
/// eight are those of the paper's Table 2, the last six those of Table 3 (Shudler et al., Exascaling Your Library,
/// ICS 2015), expectations included.
const Functions& function_table();

/// The codelets of a function set, "SET", or one of them, "SET:CODELET", called through the library's C interface.
/// Throws UsageError.
Functions codelet_functions(const std::string& choice);

// The rows of each file.
Functions latency_functions();
Functions other_collectives();
Functions nonblocking_collectives();
Function binary_tree_broadcast();
Functions object_functions();

}  // namespace adcl::bench
