// ADCL_Vmap_*: the elements that are communicated.
#include "ADCL.h"
#include "capi/objects.hpp"
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

template <typename Make>
int create(const char *call, ADCL_Vmap *vmap, const Make &make) {
  return create_object(call, &Registry::vmaps, vmap, "vmap", make);
}

void require_width(int width, const std::string &argument) {
  require(width >= 0, Code::argument, argument, " is ", width, "; a halo width must be at least 0");
}

std::vector<int> widths(const int *values, int ndims, const char *argument) {
  require_pointer(values, argument);
  for (int d = 0; d < ndims; ++d) {
    require_width(values[d], text(argument, "[", d, "]"));
  }
  return {values, values + ndims};
}

std::vector<std::vector<int>> point_lists(int n, const int *counts, const int *indices, const char *argument) {
  require(n >= 0, Code::argument, "the number of neighbors of ", argument, " is ", n, "; it must be at least 0");
  if (n > 0) {
    require_pointer(counts, "counts");
  }
  std::vector<std::vector<int>> lists;
  for (int i = 0; i < n; ++i) {
    require(counts[i] >= 0, Code::argument, "count ", i, " of ", argument, " is ", counts[i],
            "; it must be at least 0");
    if (counts[i] > 0) {
      require_pointer(indices, argument);
    }
    lists.emplace_back(indices, indices + counts[i]);
    indices += counts[i];
  }
  return lists;
}

/// Copies the counts of \p size processes.
std::vector<int> process_counts(const int *counts, int size) {
  require(size >= 1, Code::argument, "size is ", size, "; the number of processes must be at least 1");
  return counts_of(counts, size, "counts");
}

std::vector<int> displacements(const int *displs, int size) {
  require_pointer(displs, "displs");
  return {displs, displs + size};
}

}  // namespace
}  // namespace adcl::capi

using namespace adcl;
using namespace adcl::capi;

extern "C" {

int ADCL_Vmap_halo_allocate(int hwidth, ADCL_Vmap *vmap) {
  return create(__func__, vmap, [&] {
    require_width(hwidth, "hwidth");
    return std::make_shared<HaloVmap>(hwidth);
  });
}

int ADCL_Vmap_halo_allocate_generic(int ndims, const int *lwidths, const int *rwidths, ADCL_Vmap *vmap) {
  return create(__func__, vmap, [&] {
    require(ndims >= 1, Code::argument, "ndims is ", ndims, "; a vmap has at least one dimension");
    return std::make_shared<HaloVmap>(HaloWidths{widths(lwidths, ndims, "lwidths"), widths(rwidths, ndims, "rwidths")});
  });
}

int ADCL_Vmap_graph_allocate(int nsend, const int *scounts, const int *sindices, int nrecv, const int *rcounts,
                             const int *rindices, ADCL_Vmap *vmap) {
  return create(__func__, vmap, [&] {
    return std::make_shared<GraphVmap>(GraphPoints{point_lists(nsend, scounts, sindices, "sindices"),
                                                   point_lists(nrecv, rcounts, rindices, "rindices")});
  });
}

int ADCL_Vmap_all_allocate(int count, ADCL_Vmap *vmap) {
  return create(__func__, vmap, [&] {
    require_count(count, "count");
    return std::make_shared<AllVmap>(count);
  });
}

int ADCL_Vmap_reduce_allocate(int count, MPI_Op op, ADCL_Vmap *vmap) {
  return create(__func__, vmap, [&] {
    require_count(count, "count");
    return std::make_shared<ReduceVmap>(count, op);
  });
}

int ADCL_Vmap_list_allocate(int size, const int *counts, const int *displs, ADCL_Vmap *vmap) {
  return create(__func__, vmap, [&] {
    auto lengths = process_counts(counts, size);
    return std::make_shared<ListVmap>(std::move(lengths), displacements(displs, size));
  });
}

int ADCL_Vmap_listw_allocate(int size, const int *counts, const int *displs, const MPI_Datatype *types,
                             ADCL_Vmap *vmap) {
  return create(__func__, vmap, [&] {
    auto lengths = process_counts(counts, size);
    require_pointer(types, "types");
    return std::make_shared<ListwVmap>(std::move(lengths), displacements(displs, size),
                                       std::vector<MPI_Datatype>(types, types + size));
  });
}

int ADCL_Vmap_inplace_allocate(ADCL_Vmap *vmap) {
  return create(__func__, vmap, [] { return std::make_shared<InplaceVmap>(); });
}

int ADCL_Vmap_alltoall_allocate(int scount, int rcount, ADCL_Vmap *vmap) {
  return create(__func__, vmap, [&] {
    require_count(scount, "scount");
    require_count(rcount, "rcount");
    return std::make_shared<AlltoallVmap>(scount, rcount);
  });
}

int ADCL_Vmap_redscatter_allocate(int size, const int *counts, MPI_Op op, ADCL_Vmap *vmap) {
  return create(__func__, vmap, [&] { return std::make_shared<RedscatterVmap>(process_counts(counts, size), op); });
}

int ADCL_Vmap_free(ADCL_Vmap *vmap) { return free_object(__func__, &Registry::vmaps, vmap, "vmap"); }

}  // extern "C"
