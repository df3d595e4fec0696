/// \file layout.hpp
/// Checks that a Fortran array can hold a vector's elements.
#pragma once

#include "shim.hpp"

namespace adcl::fortran {

/// The shape and size that an array needs to hold a vector.
struct Layout {
  /// Creates the layout of a vector in Fortran order.
  Layout(const std::vector<int>& dims, int nc, MPI_Datatype type);

  void set_order(int wanted);

  std::vector<std::ptrdiff_t> shape;  ///< in Fortran's order, nc first unless it is 0
  bool has_nc = false;
  int order = ADCL_ORDER_FORTRAN;
  double bytes =
      0.0;  ///< a double, because the number may exceed the range of integers; exact for arrays that fit into memory
  MPI_Aint element_bytes = 0;  ///< extent of the type
};

/// Throws Error(ADCL_ERR_ARGUMENT) if \p data is smaller than \p layout, or has another shape. If \p data has the
/// layout's rank and element size, compares the shape; the last dimension may be longer. Otherwise compares only the
/// size. Arrays of unknown size are accepted.
void require_room(const CFI_cdesc_t* data, const std::string& name, const Layout& layout);

}  // namespace adcl::fortran
