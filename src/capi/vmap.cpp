// ADCL_Vmap_*: the elements that are communicated.
#include "ADCL.h"
#include "capi/guard.hpp"
#include "capi/registry.hpp"
#include "codelets/collectives/vmaps.hpp"
#include "codelets/neighborhood/vmaps.hpp"

namespace adcl::capi {
namespace {

using codelets::AlltoallVmap;
using codelets::AllVmap;
using codelets::GraphVmap;
using codelets::HaloVmap;
using codelets::InplaceVmap;
using codelets::ListVmap;
using codelets::ListwVmap;
using codelets::RedscatterVmap;
using codelets::ReduceVmap;

void store(std::shared_ptr<data::Vmap> object, ADCL_Vmap *vmap) {
  *vmap = to_handle<ADCL_Vmap>(registry().vmaps.insert(std::move(object)));
}

std::vector<int> widths(const int *values, int ndims, const char *argument) {
  require_pointer(values, argument);
  for (int d = 0; d < ndims; ++d) {
    require(values[d] >= 0, Code::argument, argument, "[", d, "] is ", values[d], "; a halo width must be at least 0");
  }
  return {values, values + ndims};
}

std::vector<std::vector<int>> point_lists(int n, const int *counts, const int *indices, const char *argument) {
  require(n >= 0, Code::argument, "the number of neighbours of ", argument, " is ", n, "; it must be at least 0");
  std::vector<std::vector<int>> lists;
  if (n > 0) {
    require_pointer(counts, "counts");
  }
  for (int i = 0; i < n; ++i) {
    require(counts[i] >= 0, Code::argument, "count ", i, " of ", argument, " is ", counts[i],
            "; it must be at least 0");
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

void require_count(int count, const char *argument) {
  require(count >= 0, Code::argument, argument, " is ", count, "; a count must be at least 0");
}

/// Copies \p size numbers; if \p counts is true, checks that they are not negative.
std::vector<int> numbers(const int *values, int size, const char *argument, bool counts) {
  require(size >= 1, Code::argument, "size is ", size, "; it is the number of processes");
  require_pointer(values, argument);
  for (int i = 0; counts && i < size; ++i) {
    require(values[i] >= 0, Code::argument, argument, "[", i, "] is ", values[i], "; a count must be at least 0");
  }
  return {values, values + size};
}

}  // namespace
}  // namespace adcl::capi

using namespace adcl::capi;

extern "C" {

int ADCL_Vmap_halo_allocate(int hwidth, ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_halo_allocate", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    adcl::require(hwidth >= 0, adcl::Code::argument, "hwidth is ", hwidth, "; a halo width must be at least 0");
    store(std::make_shared<HaloVmap>(hwidth), vmap);
  });
}

int ADCL_Vmap_halo_allocate_generic(int ndims, const int *lwidths, const int *rwidths, ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_halo_allocate_generic", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    adcl::require(ndims >= 1, adcl::Code::argument, "ndims is ", ndims, "; a vmap has at least one dimension");
    store(std::make_shared<HaloVmap>(
              adcl::HaloWidths{widths(lwidths, ndims, "lwidths"), widths(rwidths, ndims, "rwidths")}),
          vmap);
  });
}

int ADCL_Vmap_graph_allocate(int nsend, const int *scounts, const int *sindices, int nrecv, const int *rcounts,
                             const int *rindices, ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_graph_allocate", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    store(std::make_shared<GraphVmap>(adcl::GraphPoints{point_lists(nsend, scounts, sindices, "sindices"),
                                                        point_lists(nrecv, rcounts, rindices, "rindices")}),
          vmap);
  });
}

int ADCL_Vmap_all_allocate(int count, ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_all_allocate", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    require_count(count, "count");
    store(std::make_shared<AllVmap>(count), vmap);
  });
}

int ADCL_Vmap_reduce_allocate(int count, MPI_Op op, ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_reduce_allocate", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    require_count(count, "count");
    store(std::make_shared<ReduceVmap>(count, op), vmap);
  });
}

int ADCL_Vmap_list_allocate(int size, const int *counts, const int *displs, ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_list_allocate", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    store(std::make_shared<ListVmap>(numbers(counts, size, "counts", true), numbers(displs, size, "displs", false)),
          vmap);
  });
}

int ADCL_Vmap_listw_allocate(int size, const int *counts, const int *displs, const MPI_Datatype *types,
                             ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_listw_allocate", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    auto list = numbers(counts, size, "counts", true);
    require_pointer(static_cast<const void *>(types), "types");
    store(std::make_shared<ListwVmap>(std::move(list), numbers(displs, size, "displs", false),
                                      std::vector<MPI_Datatype>(types, types + size)),
          vmap);
  });
}

int ADCL_Vmap_inplace_allocate(ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_inplace_allocate", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    store(std::make_shared<InplaceVmap>(), vmap);
  });
}

int ADCL_Vmap_alltoall_allocate(int scount, int rcount, ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_alltoall_allocate", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    require_count(scount, "scount");
    require_count(rcount, "rcount");
    store(std::make_shared<AlltoallVmap>(scount, rcount), vmap);
  });
}

int ADCL_Vmap_redscatter_allocate(int size, const int *counts, MPI_Op op, ADCL_Vmap *vmap) {
  return guard("ADCL_Vmap_redscatter_allocate", [&] {
    require_initialized();
    require_pointer(vmap, "vmap");
    store(std::make_shared<RedscatterVmap>(numbers(counts, size, "counts", true), op), vmap);
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
