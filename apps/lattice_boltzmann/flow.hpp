/// \file flow.hpp
/// A step of the flow: collision with one relaxation time (BGK), streaming with or without overlap, reflection at
/// walls.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "block.hpp"
#include "halo.hpp"

namespace lattice_boltzmann {

struct Moments {
  double density = 0.0;
  std::array<double, 3> velocity{};
};

class Flow {
 public:
  /// \p relaxation: the relaxation time in steps, above 0.5; the viscosity is (relaxation - 0.5) / 3 in units of the
  /// lattice. The wall at high y moves along x with velocity \p lid. \p spoil, for tests: each exchange leaves one
  /// wrong value in the received data. Collective.
  Flow(const Block& block, const AppSettings& settings, double relaxation, double lid, bool spoil);

  /// Sets all populations of a point to equilibrium.
  void set(int x, int y, int z, const Moments& moments);
  [[nodiscard]] Moments moments(int x, int y, int z) const;

  /// Collective.
  void advance();

  /// Checksum of all populations; independent of the distribution over ranks. Local part of a sum.
  [[nodiscard]] std::uint64_t checksum() const;
  [[nodiscard]] AppExchange* exchange() const noexcept { return halo_.exchange(); }

 private:
  static void stream(void* flow, int part, int first, int last);
  void collide();
  void collide_line(int x, int y);
  void stream_field(std::size_t field, int part);
  void stream_box(std::size_t field, const Box& box);
  void reflect();

  const Block& block_;
  double rate_;
  double lid_;
  bool spoil_;
  Halo halo_;
  std::array<std::vector<double>, populations> values_;  ///< before the collision, without halo
};

}  // namespace lattice_boltzmann
