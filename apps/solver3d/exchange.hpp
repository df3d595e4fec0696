/// \file exchange.hpp
/// Ways of filling the halo of an array from the neighbours' blocks. Each is one file and one row of methods().
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "common/tuning.hpp"
#include "grid.hpp"

namespace solver3d {

using apps::Tuning;

/// Of the values that the solver sums at once.
inline constexpr std::size_t largest_sum = 3;

/// An exchange of one layer between face neighbors, for a fixed list of arrays of the grid's layout. What lies at the
/// surface of the cube is not touched. Making and destroying one is collective over the grid's communicator.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  /// Begins to fill the halo of array \p index; finish() of the same array ends it. Collective.
  virtual void start(std::size_t index) = 0;
  virtual void finish(std::size_t index) = 0;

  /// Whether to compute between start() and finish().
  [[nodiscard]] virtual bool overlaps() const { return false; }

  /// Replaces at most largest_sum \p values by their sums over the ranks, where reductions are tuned together with
  /// exchanges; false otherwise. Collective.
  [[nodiscard]] virtual bool sum(std::span<double> values) {
    static_cast<void>(values);
    return false;
  }

  /// Null when there is nothing to tune. Local.
  [[nodiscard]] virtual std::unique_ptr<Tuning> tuning() const { return nullptr; }
};

using ExchangePointer = std::unique_ptr<Exchange>;

/// Collective over the grid's communicator; \p arrays live as long as the exchange. Throws std::runtime_error on all
/// ranks alike.
using MakeExchange = ExchangePointer (*)(const Grid& grid, std::span<double* const> arrays);

struct Method {
  std::string_view name;
  std::string_view summary;
  MakeExchange make = nullptr;
  MakeExchange make_overlapping = nullptr;  ///< the same for --overlap, null when there is no such thing
  bool sums = false;                        ///< reductions are tuned, too: the last bits of sums depend on the codelet
};

/// All methods; ADCL is the first one when this program was built with ADCL.
std::span<const Method> methods();

/// Null when there is no such method.
const Method* find_method(std::string_view name);

}  // namespace solver3d
