/// \file function.hpp
/// Functions that can be measured: one row per function.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace adcl::bench {

/// Communicator and data sizes with which a function runs.
struct Setting {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  std::size_t bytes = 0;  ///< per message; per block if every pair of ranks has its own block
  int block = 16;         ///< points of a rank's block in each dimension
  int components = 1;     ///< entries per grid point
};

/// Thrown on all ranks if a function is not available.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown on all ranks if a measurement fails.
class MeasurementError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A function that is ready to be measured, with its buffers. All member functions are collective.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;
  virtual void run() = 0;
  /// Frees the object that run() created, if any; not measured.
  virtual void undo() {}
  /// Runs once more and checks the data of this rank.
  virtual bool correct() {
    run();
    return true;
  }
};
using OperationPointer = std::unique_ptr<Operation>;

enum class Measured {
  time,      ///< seconds of a call
  heap,      ///< bytes that stay allocated after a call
  share,     ///< bytes of the process that belong to MPI; memory that n processes share counts as 1/n
  resident,  ///< like share, but shared memory counts in full
};

constexpr bool is_of_process(Measured measured) {
  return measured == Measured::share || measured == Measured::resident;
}

struct Function {
  std::string name;
  Measured measured = Measured::time;
  std::string expectation;  ///< big O in the ranks p, as `adcl scale` reads it
  std::string summary;
  std::size_t unit_bytes = 0;  ///< message sizes are multiples of this size; 0: there is no message
  bool has_block = false;      ///< operates on blocks of a grid
  /// Collective; may throw NotApplicable. Empty for functions that measure the memory of the process.
  std::function<OperationPointer(const Setting&)> make{};
  bool nonblocking = false;  ///< a nonblocking call and its wait
};
using Functions = std::vector<Function>;

/// Collectives that move data, and the barrier; the litmus test; functions that create objects; MPI's memory. The first
/// eight functions and their expectations come from Table 2 of Shudler et al. (Exascaling Your Library, ICS 2015), the
/// last six functions from its Table 3.
const Functions& function_table();

/// The codelets of a function set, "SET", or one of them, "SET:CODELET", called through the library's C interface.
/// Throws UsageError.
Functions codelet_functions(const std::string& choice);

// The functions of each source file.
Functions latency_functions();
Functions other_collectives();
Functions nonblocking_collectives();
Function binary_tree_broadcast();
Functions object_functions();

}  // namespace adcl::bench
