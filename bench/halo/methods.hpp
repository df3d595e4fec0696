/// \file methods.hpp
/// All exchanges that a bench compares, and their measurement: codelets, twins (hand-written exchanges as in typical
/// MPI programs), and the bound (a copy of the data).
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/adcl_call.hpp"
#include "common/document.hpp"
#include "halo/twins/faces.hpp"

namespace bench {

enum class Kind { codelet, twin, bound, handshake };

struct Method {
  Kind kind = Kind::twin;
  std::string name;
  std::function<void()> run;
  std::vector<double*> fields;        ///< arrays that are exchanged
  std::shared_ptr<const void> owner;  ///< owns the objects of `run`; destroyed in the same order on all ranks
  int calls = 1;
  double first_s = 0.0;              ///< seconds of one call, maximum over the ranks; 0: unknown
  std::vector<double> samples = {};  ///< seconds, one per round, maximum over the ranks
};

/// Methods for a block: each codelet, preselected and called through ADCL_Request_start, with one request for all
/// fields, which ADCL_Vector_allocate allocates; each twin; two bounds, which copy the received data once, from the
/// neighbors' arrays if these are in the node's shared memory, and within the rank's own arrays; and the handshake,
/// which lets neighbors wait for each other twice and copies nothing.
std::vector<Method> methods_for(const twins::Block& block);

/// Compares the result of each method with the expected result. Removes twins whose result is wrong (some MPI libraries
/// swap the two sides of a periodic dimension of two processes in their neighborhood collectives) and returns their
/// names. A wrong codelet ends the program.
std::vector<std::string> remove_wrong(std::vector<Method>& methods, const twins::Block& block);

/// Takes the samples: short blocks of calls whose first call is not counted, in rounds of random order that is the same
/// on all ranks. Before each call, untimed, every rank writes the cells that it sends, like a program; otherwise copies
/// of them would still be in its neighbors' caches. Codelets that are much slower than the best in a first measurement
/// are removed beforehand.
void measure(std::vector<Method>& methods, const twins::Block& block, std::mt19937& random, int rounds);

/// Ratios of the best codelet's time to the best twin's time and to the bound. The best codelet and the best twin are
/// selected by their medians over the even rounds and compared, round by round, over the odd rounds, so that chance in
/// the selection does not affect the ratio.
Json figures_of(const std::string& setting, const std::vector<Method>& methods);

/// Medians of all methods in microseconds.
Json all_medians(const std::vector<Method>& methods);

/// Prints a line of progress.
void print_progress(const std::string& setting, const Json& figures);

}  // namespace bench
