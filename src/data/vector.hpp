/// \file vector.hpp
/// The application's arrays.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "core/region.hpp"
#include "mpi/array_memory.hpp"
#include "mpi/datatype.hpp"

namespace adcl::data {

/// An array of grid points, registered by the application or allocated for it.
class Vector {
 public:
  /// Whether the address of the data may be null.
  enum class Null { refused, accepted };
  /// Does not copy \p data. Throws Error(argument) if \p data is null and \p null is refused.
  Vector(Grid grid, int nc, MPI_Datatype type, void* data, Null null = Null::refused);
  /// Allocates zeroed memory.
  Vector(Grid grid, int nc, MPI_Datatype type, mpi::Sharing sharing);
  virtual ~Vector() = default;
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] int nc() const noexcept { return nc_; }
  [[nodiscard]] const mpi::Element& element() const noexcept { return *element_; }
  /// The datatype of one entry of a grid point; the point's own datatype if it has one entry.
  [[nodiscard]] const std::shared_ptr<const mpi::Element>& entry() const noexcept { return entry_; }
  [[nodiscard]] void* data() const noexcept { return data_; }
  /// Address for an array that no call reads or writes, because MPI libraries reject null.
  static void* no_array() noexcept;
  [[nodiscard]] bool owns_data() const noexcept { return owned_ != nullptr; }
  /// Reason why processes of the same node cannot map the memory; empty: they can.
  [[nodiscard]] std::string private_because() const;
  void rebind(void* data) noexcept { data_ = data; }
  /// Must be called before a request uses the vector.
  void set_fortran_order(bool fortran_order) noexcept { grid_.fortran_order = fortran_order; }

 private:
  /// Without data.
  Vector(Grid grid, int nc, MPI_Datatype type);

  Grid grid_;
  int nc_;
  std::shared_ptr<const mpi::Element> element_;
  std::shared_ptr<const mpi::Element> entry_;
  std::shared_ptr<const mpi::ArrayMemory> owned_;
  void* data_ = nullptr;
};

}  // namespace adcl::data
