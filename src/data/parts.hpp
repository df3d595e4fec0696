/// \file parts.hpp
/// What the application has put together for a request: the pattern of its function set makes a problem of it.
#pragma once

#include <memory>
#include <vector>

#include "data/topology.hpp"
#include "data/vector.hpp"
#include "data/vmap.hpp"

namespace adcl::data {

/// What is communicated of one vector, or between two. Null where the application gave none.
struct Field {
  std::shared_ptr<Vector> send_vector;
  std::shared_ptr<Vector> receive_vector;
  std::shared_ptr<Vmap> send_vmap;
  std::shared_ptr<Vmap> receive_vmap;
};

struct Parts {
  std::vector<Field> fields;           ///< one at least
  std::shared_ptr<Topology> topology;  ///< null: all processes, for user-defined sets
};

}  // namespace adcl::data
