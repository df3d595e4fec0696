/// \file parts.hpp
/// The arguments of a request, from which the pattern of its function set creates a problem.
#pragma once

#include <memory>
#include <vector>

#include "data/topology.hpp"
#include "data/vector.hpp"
#include "data/vmap.hpp"

namespace adcl::data {

/// The data to communicate within one vector, or between two vectors. Members that the application did not pass are
/// null.
struct Field {
  std::shared_ptr<Vector> send_vector;
  std::shared_ptr<Vector> receive_vector;
  std::shared_ptr<Vmap> send_vmap;
  std::shared_ptr<Vmap> receive_vmap;
};

struct Parts {
  std::vector<Field> fields;           ///< at least one
  std::shared_ptr<Topology> topology;  ///< null: all processes, for user-defined sets
};

}  // namespace adcl::data
