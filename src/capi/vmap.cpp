// ADCL_Vmap_*: which elements go where.
#include "ADCL.h"
#include "capi/guard.hpp"
#include "capi/registry.hpp"

namespace adcl::capi {
namespace {

void store(std::shared_ptr<runtime::Vmap> object, ADCL_Vmap *vmap) {
  *vmap = to_handle<ADCL_Vmap>(registry().vmaps.insert(std::move(object)));
}

std::vector<int> widths(const int *values, int ndims, const char *argument) {
  require_pointer(values, argument);
  for (int d = 0; d < ndims; ++d) {
    require(values[d] >= 0, Code::argument, argument, "[", d, "] is ", values[d], "; a halo width is at least 0");
  }
  return {values, values + ndims};
}

std::vector<std::vector<int>> point_lists(int n, const int *counts, const int *indices, const char *argument) {
  require(n >= 0, Code::argument, "the number of neighbours of ", argument, " is ", n, "; it is at least 0");
  std::vector<std::vector<int>> lists;
  if (n > 0) {
    require_pointer(counts, "counts");
  }
  for (int i = 0; i < n; ++i) {
    require(counts[i] >= 0, Code::argument, "count ", i, " of ", argument, " is ", counts[i], "; it is at least 0");
    if (counts[i] > 0) {
      require_pointer(indices, argument);
      lists.emplace_back(indices, indices + counts[i]);
      indices += counts[i];
    } else {
      lists.emplace_back();
    }
  }
  return lists;
}

}  // namespace
}  // namespace adcl::capi

using namespace adcl::capi;

extern "C" {

int ADCL_Vmap_halo_allocate(int hwidth, ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_halo_allocate", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    adcl::require(hwidth >= 0, adcl::Code::argument, "hwidth is ", hwidth, "; a halo width is at least 0");
    auto object = std::make_shared<adcl::runtime::Vmap>();
    object->uniform_width = hwidth;
    store(std::move(object), vmap);
  });
}

int ADCL_Vmap_halo_allocate_generic(int ndims, const int *lwidths, const int *rwidths, ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_halo_allocate_generic", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    adcl::require(ndims >= 1, adcl::Code::argument, "ndims is ", ndims, "; a vmap has at least one dimension");
    auto object = std::make_shared<adcl::runtime::Vmap>();
    object->widths = {widths(lwidths, ndims, "lwidths"), widths(rwidths, ndims, "rwidths")};
    store(std::move(object), vmap);
  });
}

int ADCL_Vmap_graph_allocate(int nsend, const int *scounts, const int *sindices, int nrecv, const int *rcounts,
                             const int *rindices, ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_graph_allocate", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    auto object = std::make_shared<adcl::runtime::Vmap>();
    object->kind = adcl::runtime::Vmap::Kind::graph;
    object->points.sends = point_lists(nsend, scounts, sindices, "sindices");
    object->points.receives = point_lists(nrecv, rcounts, rindices, "rindices");
    store(std::move(object), vmap);
  });
}

int ADCL_Vmap_free(ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_free", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    registry().vmaps.remove(*vmap, "vmap");
    *vmap = ADCL_VMAP_NULL;
  });
}

}  // extern "C"
