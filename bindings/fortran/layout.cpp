#include "layout.hpp"

#include <algorithm>
#include <cstdio>

namespace adcl::fortran {
namespace {

/// "2 x 3 x 4"
std::string joined(const std::vector<std::ptrdiff_t>& extents) {
  std::string text;
  for (const std::ptrdiff_t extent : extents) {
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  }
  return text;
}

bool fits(const std::vector<std::ptrdiff_t>& has, const std::vector<std::ptrdiff_t>& wanted) {
  return std::equal(has.begin(), has.end() - 1, wanted.begin()) && has.back() >= wanted.back();
}

}  // namespace

Layout::Layout(const std::vector<int>& dims, int nc, MPI_Datatype type)
    : shape(dims.begin(), dims.end()), has_nc(nc > 0) {
  if (nc > 0) {
    shape.insert(shape.begin(), nc);
  }
  MPI_Aint lower_bound = 0;
  MPI_Aint true_lower_bound = 0;
  MPI_Aint true_extent = 0;
  MPI_Type_get_extent(type, &lower_bound, &element_bytes);
  MPI_Type_get_true_extent(type, &true_lower_bound, &true_extent);
  double elements = 1.0;
  for (const std::ptrdiff_t length : shape) {
    elements *= static_cast<double>(length);
  }
  bytes = (elements - 1) * static_cast<double>(element_bytes) + static_cast<double>(true_lower_bound + true_extent);
}

void Layout::set_order(int wanted) {
  if (wanted != order) {
    order = wanted;
    std::reverse(shape.begin() + (has_nc ? 1 : 0), shape.end());
  }
}

void require_room(const CFI_cdesc_t* data, const std::string& name, const Layout& layout) {
  const std::ptrdiff_t present = data->rank == 0 ? -1 : element_count(data);
  // Old programs declare arrays of any length as x(1).
  if (present < 0 || present == 1) {
    return;
  }
  const double available = static_cast<double>(present) * static_cast<double>(data->elem_len);
  if (available < layout.bytes) {
    char numbers[160];
    std::snprintf(numbers, sizeof numbers, " has %.0f bytes, but dims, nc and type describe %.0f bytes; ", available,
                  layout.bytes);
    throw Error(ADCL_ERR_ARGUMENT, name + numbers + "dims include the halo layers and exclude nc");
  }
  std::vector<std::ptrdiff_t> shape;
  for (int d = 0; d < data->rank; ++d) {
    shape.push_back(data->dim[d].extent);
  }
  const bool comparable =
      shape.size() == layout.shape.size() && static_cast<MPI_Aint>(data->elem_len) == layout.element_bytes;
  if (comparable && !fits(shape, layout.shape)) {
    throw Error(ADCL_ERR_ARGUMENT, name + " has the shape " + joined(shape) + ", but dims and nc describe the shape " +
                                       joined(layout.shape) + "; pass shape(array) as dims, without the extent of nc");
  }
}

}  // namespace adcl::fortran
