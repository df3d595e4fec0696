#include "flow.hpp"

#include <algorithm>

namespace lattice_boltzmann {
namespace {

double equilibrium(std::size_t i, double density, double u, double v, double w) {
  const double along = velocity[i][0] * u + velocity[i][1] * v + velocity[i][2] * w;
  const double square = u * u + v * v + w * w;
  return weight(i) * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * square);
}

}  // namespace

Flow::Flow(const Block& block, const AppSettings& settings, double relaxation, double lid, bool spoil)
    : block_(block), rate_(1.0 / relaxation), lid_(lid), spoil_(spoil), halo_(block, settings) {
  for (std::vector<double>& values : values_) {
    values.resize(block.size());
  }
}

void Flow::set(int x, int y, int z, const Moments& moments) {
  for (std::size_t i = 0; i < populations; ++i) {
    values_[i][block_.offset(x, y, z)] =
        equilibrium(i, moments.density, moments.velocity[0], moments.velocity[1], moments.velocity[2]);
  }
}

Moments Flow::moments(int x, int y, int z) const {
  Moments result;
  for (std::size_t i = 0; i < populations; ++i) {
    const double value = values_[i][block_.offset(x, y, z)];
    result.density += value;
    for (std::size_t d = 0; d < 3; ++d) {
      result.velocity[d] += value * velocity[i][d];
    }
  }
  for (double& component : result.velocity) {
    component /= result.density;
  }
  return result;
}

void Flow::collide_line(int x, int y) {
  std::array<const double*, populations> in{};
  std::array<double*, populations> out{};
  const std::size_t line = block_.offset(x, y, 0);
  for (std::size_t i = 0; i < populations; ++i) {
    in[i] = values_[i].data() + line;
    out[i] = i == 0 ? values_[0].data() + line : halo_.field(i - 1).at(x, y, 0);
  }
  for (int z = 0; z < block_.extents()[2]; ++z) {
    double density = 0.0;
    double u = 0.0;
    double v = 0.0;
    double w = 0.0;
    for (std::size_t i = 0; i < populations; ++i) {
      const double value = in[i][z];
      density += value;
      u += value * velocity[i][0];
      v += value * velocity[i][1];
      w += value * velocity[i][2];
    }
    const double inverse = 1.0 / density;
    u *= inverse;
    v *= inverse;
    w *= inverse;
    for (std::size_t i = 0; i < populations; ++i) {
      out[i][z] = in[i][z] + rate_ * (equilibrium(i, density, u, v, w) - in[i][z]);
    }
  }
}

void Flow::collide() {
  for_lines(block_.whole(), [this](int x, int y) { collide_line(x, y); });
}

void Flow::stream_box(std::size_t field, const Box& box) {
  const Extents& c = velocity[field + 1];
  const int length = box.high[2] - box.low[2];
  if (length <= 0) {
    return;
  }
  const Field& source = halo_.field(field);
  double* const target = values_[field + 1].data();
  for_lines(box, [&](int x, int y) {
    std::copy_n(source.at(x - c[0], y - c[1], box.low[2] - c[2]), length, target + block_.offset(x, y, box.low[2]));
  });
}

/// The boundary of a field consists of the layers that receive values from outside; they are removed one after the
/// other.
void Flow::stream_field(std::size_t field, int part) {
  Box rest = block_.whole();
  if (part == APP_ALL) {
    stream_box(field, rest);
    return;
  }
  for (std::size_t d = 0; d < 3; ++d) {
    const int c = velocity[field + 1][d];
    Box layer = rest;
    if (c > 0) {
      layer.high[d] = 1;
      rest.low[d] = 1;
    } else if (c < 0) {
      layer.low[d] = rest.high[d] - 1;
      --rest.high[d];
    } else {
      continue;
    }
    if (part == APP_BOUNDARY) {
      stream_box(field, layer);
    }
  }
  if (part == APP_INSIDE) {
    stream_box(field, rest);
  }
}

void Flow::stream(void* flow, int part, int first, int last) {
  auto& self = *static_cast<Flow*>(flow);
  for (int f = first; f < last; ++f) {
    if (self.spoil_ && part != APP_INSIDE && f == 0) {
      *self.halo_.field(0).at(-1, 0, 0) += 1e-3;
    }
    self.stream_field(static_cast<std::size_t>(f), part);
    app_exchange_progress(self.exchange(), 1);
  }
}

/// A population that leaves a wall is the population that entered it half a step before: the walls are half-way between
/// the points. The moving wall adds momentum.
void Flow::reflect() {
  for (std::size_t i = 1; i < populations; ++i) {
    const Extents& c = velocity[i];
    for (std::size_t d = 0; d < 3; ++d) {
      if (c[d] == 0 || !block_.at_wall(d, -c[d])) {
        continue;
      }
      Box layer = block_.whole();
      (c[d] > 0 ? layer.high[d] : layer.low[d]) = c[d] > 0 ? 1 : layer.high[d] - 1;
      const Field& source = halo_.field(opposite(i) - 1);
      for_lines(layer, [&](int x, int y) {
        const bool moves = c[1] < 0 && block_.at_wall(1, 1) && y == block_.extents()[1] - 1;
        const double gain = moves ? 6.0 * weight(i) * c[0] * lid_ : 0.0;
        for (int z = layer.low[2]; z < layer.high[2]; ++z) {
          values_[i][block_.offset(x, y, z)] = *source.at(x, y, z) + gain;
        }
      });
    }
  }
}

void Flow::advance() {
  collide();
  app_exchange_run(halo_.exchange(), stream, this);
  reflect();
}

std::uint64_t Flow::checksum() const {
  std::uint64_t sum = 0;
  const Extents& n = block_.extents();
  for_lines(block_.whole(), [&](int x, int y) {
    for (int z = 0; z < n[2]; ++z) {
      const auto i = static_cast<std::uint64_t>(block_.first(0) + x);
      const auto j = static_cast<std::uint64_t>(block_.first(1) + y);
      const auto k = static_cast<std::uint64_t>(block_.first(2) + z);
      for (std::size_t p = 0; p < populations; ++p) {
        sum += app_mix_value(values_[p][block_.offset(x, y, z)], ((i << 20U | j) << 20U | k) * populations + p);
      }
    }
  });
  return sum;
}

}  // namespace lattice_boltzmann
