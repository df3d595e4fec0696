/// \file exchange.hpp
/// Methods that fill the halo of an array from the neighbors' blocks. Each is one file and one row of methods().
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "common/tuning.hpp"
#include "grid.hpp"

namespace solver3d {

using apps::Tuning;

/// Number of values that the solver sums at once.
inline constexpr std::size_t largest_sum = 3;

/// An exchange of one layer between face neighbors, for a fixed list of arrays of the grid's layout. The halo at the
/// surface of the cube does not change. Construction and destruction are collective over the grid's communicator.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  /// Begins to fill the halo of array \p index; finish() of the same array completes it. Collective.
  virtual void start(std::size_t index) = 0;
  virtual void finish(std::size_t index) = 0;

  /// True if the solver should compute between start() and finish().
  [[nodiscard]] virtual bool overlaps() const { return false; }

  /// If reductions are tuned together with exchanges, replaces at most largest_sum \p values with their sums over the
  /// ranks and returns true; otherwise returns false. Collective.
  [[nodiscard]] virtual bool sum(std::span<double> values) {
    static_cast<void>(values);
    return false;
  }

  /// Null if the method is not tuned. Local.
  [[nodiscard]] virtual std::unique_ptr<Tuning> tuning() const { return nullptr; }
};

using ExchangePointer = std::unique_ptr<Exchange>;

/// Collective over the grid's communicator. \p arrays must outlive the exchange. Throws std::runtime_error on all
/// ranks.
using MakeExchange = ExchangePointer (*)(const Grid& grid, std::span<double* const> arrays);

struct Method {
  std::string_view name;
  std::string_view summary;
  MakeExchange make = nullptr;
  MakeExchange make_overlapping = nullptr;  ///< variant for --overlap; null if there is none
  bool sums = false;                        ///< reductions are tuned too: the last bits of sums depend on the codelet
};

/// All methods; ADCL is the first method if this program was built with ADCL.
std::span<const Method> methods();

/// Null if there is no method of this name.
const Method* find_method(std::string_view name);

}  // namespace solver3d
