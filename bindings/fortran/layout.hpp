/// \file layout.hpp
/// Whether an array of Fortran can hold what a vector describes.
#pragma once

#include "shim.hpp"

namespace adcl::fortran {

/// What an array must be to hold a vector that the library has accepted.
struct Layout {
  /// In Fortran order.
  Layout(const std::vector<int>& dims, int nc, MPI_Datatype type);

  void set_order(int wanted);

  std::vector<std::ptrdiff_t> shape;  ///< in Fortran's order, nc first unless it is 0
  bool has_nc = false;
  int order = ADCL_ORDER_FORTRAN;
  double bytes = 0.0;          ///< may exceed every integer; exact wherever arrays fit into memory
  MPI_Aint element_bytes = 0;  ///< extent of the type
};

/// Throws Error(ADCL_ERR_ARGUMENT) when \p data is known to be smaller than \p layout, or to have another shape. The
/// shape is compared where rank and size of the elements are those of the layout; the last dimension may be longer.
/// Of other arrays, only the size is compared.
void require_room(const CFI_cdesc_t* data, const std::string& name, const Layout& layout);

}  // namespace adcl::fortran
