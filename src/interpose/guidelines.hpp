/// \file guidelines.hpp
/// Performance guidelines that the MPI library breaks, from the measurements of a search: a call should not take longer
/// than a combination of other calls with the same result. Pure.
///
/// Source: Träff, Gropp and Thakur, "Self-consistent MPI performance requirements", EuroPVM/MPI 2007.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codelets/collectives/collective_problem.hpp"
#include "measure/estimator.hpp"

namespace adcl::interpose {

/// The call takes `factor` times as long as the composition, and at least `low` times.
struct Guideline {
  std::string composition;
  double factor = 0.0;
  double low = 0.0;
};

/// A measured candidate.
struct Measured {
  std::string_view name;
  measure::Numbers numbers;
};

/// The operations of which a codelet is composed; empty if it is not a composition.
inline std::string composition_of(codelets::Operation operation, std::string_view codelet) {
  using codelets::Operation;
  if (codelet == "Native_nonblocking") {
    return std::string("MPI_I").append(codelets::name_of(operation)).append(" and MPI_Wait");
  }
  if (operation == Operation::allgather && codelet == "Gather_bcast") {
    return "a gather and a broadcast";
  }
  if (operation == Operation::allreduce && codelet.starts_with("Nonoverlapping")) {
    return "a reduction and a broadcast";
  }
  if (operation == Operation::reduce_scatter_block && codelet == "Reduce_scatter") {
    return "a reduction and a scatter";
  }
  if (operation == Operation::bcast && codelet.starts_with("Scatter_")) {
    return "a scatter and an allgather";
  }
  return "";
}

/// The guidelines that the MPI library breaks significantly: its call takes at least a tenth longer than the
/// composition even if both means are wrong by three standard errors.
inline std::vector<Guideline> broken_guidelines(codelets::Operation operation, const std::vector<Measured>& all) {
  constexpr double least_measurements = 4.0;
  constexpr double errors = 3.0;
  constexpr double least_factor = 1.1;
  const auto margin = [](const measure::Numbers& numbers) {
    return errors * numbers.spread_s / std::sqrt(numbers.measurements);
  };
  const auto native = std::ranges::find(all, "Native", &Measured::name);
  std::vector<Guideline> broken;
  if (native == all.end() || native->numbers.measurements < least_measurements || native->numbers.spread_s <= 0.0) {
    return broken;
  }
  for (const Measured& one : all) {
    const measure::Numbers& numbers = one.numbers;
    const std::string composition = composition_of(operation, one.name);
    if (composition.empty() || numbers.measurements < least_measurements || numbers.spread_s <= 0.0) {
      continue;
    }
    const double factor = native->numbers.filtered_mean_s / numbers.filtered_mean_s;
    const double low =
        (native->numbers.filtered_mean_s - margin(native->numbers)) / (numbers.filtered_mean_s + margin(numbers));
    const auto known = std::ranges::find(broken, composition, &Guideline::composition);
    if (low < least_factor) {
      continue;
    }
    if (known == broken.end()) {
      broken.push_back({composition, factor, low});
    } else if (low > known->low) {
      *known = {composition, factor, low};
    }
  }
  return broken;
}

}  // namespace adcl::interpose
