#include "runtime/request_problem.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/hash.hpp"

namespace adcl::runtime {
namespace {

class UserProblem : public Problem {
 public:
  UserProblem(const FunctionSet& set, const RequestParts& parts, int ranks) : description_("user-defined " + set.name) {
    Hash hash;
    hash.add("user").add(set.name).add(static_cast<std::uint64_t>(ranks));
    for (const Vector* vector : {parts.send_vector.get(), parts.receive_vector.get()}) {
      if (vector != nullptr) {
        hash.add_all(vector->grid().dims).add(static_cast<std::uint64_t>(vector->nc()));
        hash.add(vector->element().layout_hash());
      }
    }
    if (parts.topology != nullptr) {
      hash.add(static_cast<std::uint64_t>(parts.topology->id));
    }
    signature_ = hash.value();
  }
  [[nodiscard]] std::uint64_t signature() const override { return signature_; }
  [[nodiscard]] std::string describe() const override { return description_; }

 private:
  std::string description_;
  std::uint64_t signature_ = 0;
};

}  // namespace

std::unique_ptr<HaloProblem> halo_problem(const RequestParts& parts) {
  require(parts.send_vector != nullptr && parts.receive_vector != nullptr, Code::handle,
          "the vector is ADCL_VECTOR_NULL; ADCL_FNCTSET_NEIGHBORHOOD needs one");
  require(parts.send_vmap != nullptr && parts.receive_vmap != nullptr, Code::handle,
          "the vmap is ADCL_VMAP_NULL; ADCL_FNCTSET_NEIGHBORHOOD needs one");
  require(parts.topology->has_neighbors, Code::argument,
          "the topology has no neighbours: its communicator is neither Cartesian nor a distributed graph; use "
          "MPI_Cart_create, ADCL_Topology_create_generic or MPI_Dist_graph_create_adjacent");
  auto problem = std::make_unique<HaloProblem>();
  problem->neighborhood = parts.topology->neighborhood;
  problem->send_grid = parts.send_vector->grid();
  problem->receive_grid = parts.receive_vector->grid();
  problem->send_element = &parts.send_vector->element();
  problem->receive_element = &parts.receive_vector->element();
  problem->same_buffer = parts.send_vector == parts.receive_vector;
  problem->topology_id = parts.topology->id;
  const bool graph = problem->neighborhood.kind == Neighborhood::Kind::graph;
  const auto wanted = graph ? Vmap::Kind::graph : Vmap::Kind::halo;
  require(parts.send_vmap->kind == wanted && parts.receive_vmap->kind == wanted, Code::argument, "a ",
          problem->neighborhood.kind_name(), " topology needs a vmap made by ",
          graph ? "ADCL_Vmap_graph_allocate" : "ADCL_Vmap_halo_allocate or ADCL_Vmap_halo_allocate_generic");
  if (graph) {
    build_graph(*problem, {parts.send_vmap->points.sends, parts.receive_vmap->points.receives});
  } else {
    problem->send_widths = parts.send_vmap->widths_for(problem->neighborhood.ndims);
    problem->receive_widths = parts.receive_vmap->widths_for(problem->neighborhood.ndims);
    build_halo(*problem);
  }
  return problem;
}

std::unique_ptr<Problem> user_problem(const FunctionSet& set, const RequestParts& parts, int ranks) {
  return std::make_unique<UserProblem>(set, parts, ranks);
}

}  // namespace adcl::runtime
