#include "codelets/neighborhood/make_problem.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "codelets/neighborhood/halo_problem.hpp"
#include "codelets/neighborhood/vmaps.hpp"
#include "core/error.hpp"
#include "data/parts.hpp"

namespace adcl::codelets {

HaloWidths HaloVmap::widths_for(int ndims) const {
  if (width_.has_value()) {
    const std::vector<int> same(static_cast<std::size_t>(ndims), *width_);
    return {same, same};
  }
  require(widths_.left.size() == static_cast<std::size_t>(ndims), Code::argument, "the vmap has halo widths for ",
          widths_.left.size(), " dimensions, but the topology has ", ndims);
  return widths_;
}

namespace {

void check_vectors(const std::vector<data::Field>& fields) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::string number = fields.size() > 1 ? text(" of field ", f) : "";
    require(fields[f].send_vector != nullptr && fields[f].receive_vector != nullptr, Code::handle, "the vector", number,
            " is ADCL_VECTOR_NULL; ADCL_FNCTSET_NEIGHBORHOOD needs a vector");
    require(fields[f].send_vmap != nullptr && fields[f].receive_vmap != nullptr, Code::handle, "the vmap", number,
            " is ADCL_VMAP_NULL; ADCL_FNCTSET_NEIGHBORHOOD needs a vmap");
    for (std::size_t g = 0; g < f; ++g) {
      require(fields[f].receive_vector != fields[g].receive_vector, Code::argument, "fields ", g, " and ", f,
              " are received into the same vector; each field needs its own receive vector");
    }
  }
}

/// Checks that no field sends points that another field receives, because the sent value would be undefined.
void check_overlaps(const HaloProblem& problem, const std::vector<data::Field>& parts) {
  if (!problem.several_fields()) {
    return;
  }
  for (const Transfer& out : problem.sends) {
    for (const Transfer& in : problem.receives) {
      const bool same_vector = out.field != in.field && parts[static_cast<std::size_t>(out.field)].send_vector ==
                                                            parts[static_cast<std::size_t>(in.field)].receive_vector;
      require(!same_vector || !overlap(out.region, in.region), Code::argument, "field ", in.field,
              " is received into the part of a vector that field ", out.field,
              " sends; exchange these fields with two requests, or between separate vectors");
    }
  }
}

HaloArray array_of(const data::Vector& vector) {
  return {vector.grid(), {}, &vector.element(), vector.private_because()};
}

/// Converts the vmap to the kind that the topology requires. Throws Error(argument) for another kind.
template <typename Wanted>
const Wanted& as(const data::Vmap& vmap, const Neighborhood& neighborhood, const char* made_by) {
  const auto* wanted = dynamic_cast<const Wanted*>(&vmap);
  require(wanted != nullptr, Code::argument, "a ", neighborhood.kind_name(), " topology needs a vmap created by ",
          made_by);
  return *wanted;
}

HaloField field_of(const data::Field& part, const Neighborhood& neighborhood) {
  constexpr auto made_by = "ADCL_Vmap_halo_allocate or ADCL_Vmap_halo_allocate_generic";
  const auto& sent = as<HaloVmap>(*part.send_vmap, neighborhood, made_by);
  const auto& received = as<HaloVmap>(*part.receive_vmap, neighborhood, made_by);
  HaloField field{array_of(*part.send_vector), array_of(*part.receive_vector), part.send_vector == part.receive_vector};
  field.send.widths = sent.widths_for(neighborhood.ndims);
  field.receive.widths = received.widths_for(neighborhood.ndims);
  return field;
}

GraphPoints points_of(const data::Field& part, const Neighborhood& neighborhood) {
  constexpr auto made_by = "ADCL_Vmap_graph_allocate";
  return {as<GraphVmap>(*part.send_vmap, neighborhood, made_by).points().sends,
          as<GraphVmap>(*part.receive_vmap, neighborhood, made_by).points().receives};
}

}  // namespace

std::unique_ptr<Problem> make_problem(const data::Parts& parts, mpi::Context& context) {
  check_vectors(parts.fields);
  require(parts.topology->has_neighbors, Code::argument,
          "the topology has no neighbors: its communicator is neither Cartesian nor a distributed graph; use "
          "MPI_Cart_create, ADCL_Topology_create_generic or MPI_Dist_graph_create_adjacent");
  auto problem = std::make_unique<HaloProblem>(&context.machine());
  const Neighborhood& neighborhood = parts.topology->neighborhood;
  problem->neighborhood = neighborhood;
  problem->topology_id = parts.topology->id;
  problem->window_defect = context.window_defect();
  problem->fields.clear();
  if (neighborhood.kind == Neighborhood::Kind::graph) {
    std::vector<GraphPoints> points;
    for (const data::Field& part : parts.fields) {
      points.push_back(points_of(part, neighborhood));
      problem->fields.push_back(
          {array_of(*part.send_vector), array_of(*part.receive_vector), part.send_vector == part.receive_vector});
    }
    build_graph(*problem, points);
  } else {
    for (const data::Field& part : parts.fields) {
      problem->fields.push_back(field_of(part, neighborhood));
    }
    build_halo(*problem);
  }
  check_overlaps(*problem, parts.fields);
  return problem;
}

}  // namespace adcl::codelets
