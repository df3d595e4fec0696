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
  /// Does not copy \p data. Throws Error(argument) where \p data is null and that is refused.
  Vector(Grid grid, int nc, MPI_Datatype type, void* data, Null null = Null::refused);
  /// On new, zeroed memory.
  Vector(Grid grid, int nc, MPI_Datatype type, mpi::Sharing sharing);
  ~Vector() = default;
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] int nc() const noexcept { return nc_; }
  [[nodiscard]] const mpi::Element& element() const noexcept { return *element_; }
  /// One of the entries of a grid point, which is the point itself where it has one.
  [[nodiscard]] const std::shared_ptr<const mpi::Element>& entry() const noexcept { return entry_; }
  [[nodiscard]] void* data() const noexcept { return data_; }
  /// The address of an array that no call reads or writes. MPI libraries refuse null there.
  static void* no_array() noexcept;
  [[nodiscard]] bool owns_data() const noexcept { return owned_ != nullptr; }
  /// Why processes of the same node cannot map its memory; empty: they can.
  [[nodiscard]] std::string private_because() const;
  void rebind(void* data) noexcept { data_ = data; }
  /// Before a request uses it.
  void set_fortran_order(bool fortran_order) noexcept { grid_.fortran_order = fortran_order; }

 private:
  Grid grid_;
  int nc_;
  std::shared_ptr<const mpi::Element> element_;
  std::shared_ptr<const mpi::Element> entry_;
  std::shared_ptr<const mpi::ArrayMemory> owned_;
  void* data_ = nullptr;
};

}  // namespace adcl::data
