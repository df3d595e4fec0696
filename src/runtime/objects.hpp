/// \file objects.hpp
/// What the handles of the C interface stand for.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attribute.hpp"
#include "core/codelet.hpp"
#include "core/halo_problem.hpp"
#include "mpi/array_memory.hpp"
#include "mpi/context.hpp"
#include "mpi/datatype.hpp"

struct ADCL_Request_s;

namespace adcl::runtime {

/// Which elements go where. Exactly one of the members is meant, according to `kind`.
struct Vmap {
  enum class Kind { halo, graph };
  Kind kind = Kind::halo;
  std::optional<int> uniform_width;  ///< the same on both sides of every dimension
  HaloWidths widths;                 ///< otherwise
  GraphPoints points;

  /// Widths for \p ndims dimensions. Throws Error(argument) when the vmap was made for another number.
  [[nodiscard]] HaloWidths widths_for(int ndims) const;
};

/// The application's array.
class Vector {
 public:
  /// \p data is not copied; null is an error when the array has any points.
  Vector(Grid grid, int nc, MPI_Datatype type, void* data);
  /// On new, zeroed memory.
  Vector(Grid grid, int nc, MPI_Datatype type, mpi::Sharing sharing);
  ~Vector() = default;
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] int nc() const noexcept { return nc_; }
  [[nodiscard]] const mpi::Element& element() const noexcept { return element_; }
  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] bool owns_data() const noexcept { return owned_ != nullptr; }
  /// What is exchanged of it; without halo widths.
  [[nodiscard]] HaloArray shape() const;
  void rebind(void* data) noexcept { data_ = data; }

 private:
  Grid grid_;
  int nc_;
  mpi::Element element_;
  std::shared_ptr<const mpi::ArrayMemory> owned_;
  void* data_ = nullptr;
};

/// Who takes part. Made by the functions below, all collective over the communicator.
struct Topology {
  std::shared_ptr<mpi::Context> context;
  Neighborhood neighborhood;
  bool has_neighbors = false;  ///< the communicator or the caller said who they are
  std::int64_t id = 0;         ///< the same on all ranks
  int root = 0;
};

std::shared_ptr<Topology> topology_of(MPI_Comm comm, int root);
std::shared_ptr<Topology> generic_topology(int ndims, const int* lneighbors, const int* rneighbors, const int* coords,
                                           int direction, MPI_Comm comm);
std::shared_ptr<Topology> extended_topology(MPI_Comm cart_comm);
std::shared_ptr<Topology> graph_topology(MPI_Comm graph_comm);

/// A codelet written by the user: C functions that are given the request's handle.
struct Function {
  using Work = void (*)(ADCL_Request_s* request);
  Work start = nullptr;
  Work wait = nullptr;  ///< null: start does everything
  std::shared_ptr<const AttributeSet> attributes;
  std::vector<int> values;
  std::string name;
};

/// A function set and, for sets of the user's own, the functions behind its rows.
struct FunctionSetObject {
  FunctionSet set;
  std::vector<Function> functions;  ///< empty for predefined sets
  /// Requests of the set with the same shape of data share a search. What functions of the application's own do may
  /// depend on what the library cannot see: theirs only when it says so.
  std::atomic<bool> sharing{false};

  [[nodiscard]] bool predefined() const noexcept { return functions.empty(); }
};

/// Every combination of attribute values but the excluded ones, as functions that share \p start and \p wait.
std::shared_ptr<FunctionSetObject> single_function_set(Function::Work start, Function::Work wait,
                                                       const std::shared_ptr<const AttributeSet>& attributes,
                                                       const std::string& name,
                                                       const std::vector<std::vector<int>>& excluded);

/// Functions of the same functionality. Throws Error(argument) when they do not fit together.
std::shared_ptr<FunctionSetObject> function_set(std::vector<Function> functions, const std::string& name);

}  // namespace adcl::runtime
