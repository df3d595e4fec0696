/// \file neighborhoods.hpp
/// The neighborhoods and halo problems of all ranks of a model in one process. Pure.
#pragma once

#include <memory>
#include <vector>

#include "codelets/neighborhood/halo_problem.hpp"
#include "support/problem_model.hpp"

namespace adcl::test {

/// The neighborhood that MPI would report to the rank.
Neighborhood neighborhood_of(const TopologyModel& topology, int rank);

/// The problems of all ranks, built by the library; the elements stay null.
std::vector<std::unique_ptr<HaloProblem>> problems_of(const ProblemModel& model);
/// The problems of all ranks for several fields on the topology of the first field.
std::vector<std::unique_ptr<HaloProblem>> problems_of(const std::vector<ProblemModel>& fields);

}  // namespace adcl::test
