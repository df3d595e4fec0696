/// \file methods.hpp
/// All ways of exchanging a halo that a bench compares: codelets, twins and the bound; and how they are timed.
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
  std::vector<double*> fields;        ///< what is exchanged
  std::shared_ptr<const void> owner;  ///< of what `run` uses; given up in the same order on all ranks
  int calls = 1;
  double first_s = 0.0;              ///< one call, seconds, the largest over the ranks; 0: not known
  std::vector<double> samples = {};  ///< seconds, one per round, the largest over the ranks
};

/// The methods for a block: each codelet, preselected and called through ADCL_Request_start, with one request for all
/// fields, which ADCL_Vector_allocate made; each twin; two bounds, which copy what arrives once, out of the neighbors'
/// arrays where the node's memory allows, and within the rank's own; and the handshake, which lets neighbors wait for
/// each other twice and copies nothing.
std::vector<Method> methods_for(const twins::Block& block);

/// Compares the result of each method with the truth. Removes twins whose result is wrong (some MPI libraries exchange
/// the two sides of a periodic dimension of two processes in their neighborhood collectives) and returns their names;
/// ends the program for a codelet.
std::vector<std::string> remove_wrong(std::vector<Method>& methods, const twins::Block& block);

/// Takes the samples: short blocks of calls whose first one is not counted, in rounds of random order that is the same
/// on all ranks. Before each call, untimed, every rank writes the cells that it is going to send, as a program does:
/// otherwise copies of them would still be in its neighbors' caches. Codelets that are far from the best at first
/// sight are removed before.
void measure(std::vector<Method>& methods, const twins::Block& block, std::mt19937& random, int rounds);

/// What the best codelet takes as a ratio to the best twin and to the bound. The best ones are chosen by their medians
/// over the even rounds and compared, round by round, over the odd ones: the choice cannot profit from its own luck.
Json figures_of(const std::string& setting, const std::vector<Method>& methods);

/// Medians of all methods in microseconds.
Json all_medians(const std::vector<Method>& methods);

/// A line for those who watch.
void tell(const std::string& setting, const Json& figures);

}  // namespace bench
