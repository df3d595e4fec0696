#include "codelets/neighborhood/two_sided/dimension_by_dimension.hpp"

#include <map>
#include <utility>

#include "codelets/neighborhood/rows.hpp"

namespace adcl::codelets {
namespace {

constexpr auto no_graphs = "not for graph topologies";
constexpr auto ordered = "paper Fig. 1, `ordered`";

/// Sort key of a line: the number of dimensions in which the direction moves, then the direction with its first step
/// backward. Faces come before edges and edges before corners, dimension 0 first; both directions of a line have the
/// same key.
std::pair<int, Direction> line_of(const Direction& direction) {
  Direction line = direction;
  int steps = 0;
  int sign = 0;
  for (int& step : line) {
    steps += step != 0 ? 1 : 0;
    sign = sign == 0 ? -step : sign;
    step *= sign;
  }
  return {steps, std::move(line)};
}

}  // namespace

std::vector<Line> lines_of(const HaloProblem& problem) {
  std::map<std::pair<int, Direction>, Line> lines;
  for (std::size_t i = 0; i < problem.sends.size(); ++i) {
    lines[line_of(problem.sends[i].direction)].sends.push_back(i);
  }
  for (std::size_t j = 0; j < problem.receives.size(); ++j) {
    lines[line_of(problem.receives[j].direction)].receives.push_back(j);
  }
  std::vector<Line> result;
  result.reserve(lines.size());
  for (auto& entry : lines) {
    result.push_back(std::move(entry.second));
  }
  return result;
}

std::optional<std::string> without_lines(const HaloProblem& problem) {
  if (problem.neighborhood.kind == Neighborhood::Kind::graph) {
    return "a graph has no dimensions";
  }
  return std::nullopt;
}

Rows dimension_by_dimension() {
  return {
      {.name = "Ordered",
       .attributes = attributes(Partners::dimension, NonContiguous::ddt, Primitive::isend_irecv, Completion::waitall),
       .capabilities = blocking,
       .requirements = no_graphs,
       .source = ordered,
       .algorithm = message_algorithm<DimensionByDimension, DatatypeMessages>(),
       .expectation = growth::flat},
      {.name = "Ordered_pack",
       .attributes = attributes(Partners::dimension, NonContiguous::pack, Primitive::isend_irecv, Completion::waitall),
       .capabilities = {.touches_data = true},
       .requirements = no_graphs,
       .source = ordered,
       .algorithm = message_algorithm<DimensionByDimension, PackedMessages>(),
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
