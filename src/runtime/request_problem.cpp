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
    hash.add(parts.fields.size());
    for (const FieldParts& field : parts.fields) {
      for (const Vector* vector : {field.send_vector.get(), field.receive_vector.get()}) {
        if (vector != nullptr) {
          hash.add_all(vector->grid().dims).add(static_cast<std::uint64_t>(vector->nc()));
          hash.add(vector->element().layout_hash());
        }
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

void check_vectors(const std::vector<FieldParts>& fields) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::string number = fields.size() > 1 ? text(" of field ", f) : "";
    require(fields[f].send_vector != nullptr && fields[f].receive_vector != nullptr, Code::handle, "the vector", number,
            " is ADCL_VECTOR_NULL; ADCL_FNCTSET_NEIGHBORHOOD needs one");
    require(fields[f].send_vmap != nullptr && fields[f].receive_vmap != nullptr, Code::handle, "the vmap", number,
            " is ADCL_VMAP_NULL; ADCL_FNCTSET_NEIGHBORHOOD needs one");
    for (std::size_t g = 0; g < f; ++g) {
      require(fields[f].receive_vector != fields[g].receive_vector, Code::argument, "fields ", g, " and ", f,
              " are received into the same vector; each field needs a receive vector of its own");
    }
  }
}

/// What one field sends must not be what another one receives: which of the two values would travel is not defined.
void check_overlaps(const HaloProblem& problem, const std::vector<FieldParts>& parts) {
  if (!problem.several_fields()) {
    return;
  }
  for (const Transfer& out : problem.sends) {
    for (const Transfer& in : problem.receives) {
      const bool same_vector = out.field != in.field && parts[static_cast<std::size_t>(out.field)].send_vector ==
                                                            parts[static_cast<std::size_t>(in.field)].receive_vector;
      require(!same_vector || !overlap(out.region, in.region), Code::argument, "field ", in.field,
              " is received into the part of a vector that field ", out.field,
              " sends; exchange them with two requests, or between vectors of their own");
    }
  }
}

}  // namespace

std::unique_ptr<HaloProblem> halo_problem(const RequestParts& parts) {
  check_vectors(parts.fields);
  require(parts.topology->has_neighbors, Code::argument,
          "the topology has no neighbours: its communicator is neither Cartesian nor a distributed graph; use "
          "MPI_Cart_create, ADCL_Topology_create_generic or MPI_Dist_graph_create_adjacent");
  auto problem = std::make_unique<HaloProblem>();
  problem->neighborhood = parts.topology->neighborhood;
  problem->topology_id = parts.topology->id;
  problem->fields.clear();
  const bool graph = problem->neighborhood.kind == Neighborhood::Kind::graph;
  const auto wanted = graph ? Vmap::Kind::graph : Vmap::Kind::halo;
  std::vector<GraphPoints> points;
  for (const FieldParts& part : parts.fields) {
    require(part.send_vmap->kind == wanted && part.receive_vmap->kind == wanted, Code::argument, "a ",
            problem->neighborhood.kind_name(), " topology needs a vmap made by ",
            graph ? "ADCL_Vmap_graph_allocate" : "ADCL_Vmap_halo_allocate or ADCL_Vmap_halo_allocate_generic");
    HaloField field{part.send_vector->shape(), part.receive_vector->shape(), part.send_vector == part.receive_vector};
    if (graph) {
      points.push_back({part.send_vmap->points.sends, part.receive_vmap->points.receives});
    } else {
      field.send.widths = part.send_vmap->widths_for(problem->neighborhood.ndims);
      field.receive.widths = part.receive_vmap->widths_for(problem->neighborhood.ndims);
    }
    problem->fields.push_back(std::move(field));
  }
  if (graph) {
    build_graph(*problem, points);
  } else {
    build_halo(*problem);
  }
  check_overlaps(*problem, parts.fields);
  return problem;
}

std::unique_ptr<Problem> user_problem(const FunctionSet& set, const RequestParts& parts, int ranks) {
  return std::make_unique<UserProblem>(set, parts, ranks);
}

}  // namespace adcl::runtime
