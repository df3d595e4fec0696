// Measures ADCL's codelets through the library's C interface: each is preselected for its own halo exchange.
#include <ADCL.h>

#include <array>
#include <limits>

#include "codelets/sets.hpp"
#include "core/nearest.hpp"
#include "function.hpp"
#include "options.hpp"
#include "preselected.hpp"

namespace adcl::bench {
namespace {

constexpr int dimensions = 3;

/// A periodic three-dimensional grid; every rank holds a cube of it with one layer of halo.
class HaloExchange final : public Operation {
 public:
  HaloExchange(const Setting& setting, const std::string& set, const std::string& codelet);
  ~HaloExchange() override {
    ADCL_Request_free(&request_);
    MPI_Comm_free(&cart_);
  }
  void run() override { code_ = ADCL_Request_start(request_); }
  bool correct() override;

 private:
  using Point = std::array<int, dimensions>;

  /// Value of a point of this rank: its number in the whole grid, or NaN in the halo before the exchange.
  [[nodiscard]] double number_of(const Point& point) const;
  [[nodiscard]] std::size_t index_of(const Point& point) const;
  /// Number of dimensions in which the point lies in the halo.
  [[nodiscard]] int halos_of(const Point& point) const;
  template <typename Visit>
  void for_each_point(Visit visit) const;

  int block_;
  int components_;
  MPI_Comm cart_ = MPI_COMM_NULL;
  Point processes_{};
  Point coordinates_{};
  std::vector<double> data_;
  ADCL_Request request_ = ADCL_REQUEST_NULL;
  int code_ = ADCL_SUCCESS;
};

HaloExchange::HaloExchange(const Setting& setting, const std::string& set, const std::string& codelet)
    : block_(setting.block), components_(setting.components) {
  const int extent = block_ + 2;
  const Point extents{extent, extent, extent};
  const Point periods{1, 1, 1};
  MPI_Dims_create(setting.size, dimensions, processes_.data());
  MPI_Cart_create(setting.comm, dimensions, processes_.data(), periods.data(), 0, &cart_);
  MPI_Cart_coords(cart_, setting.rank, dimensions, coordinates_.data());
  data_.resize(static_cast<std::size_t>(extent) * static_cast<std::size_t>(extent) * static_cast<std::size_t>(extent) *
               static_cast<std::size_t>(components_));
  const int scalar_or_components = components_ == 1 ? 0 : components_;
  try {
    request_ = preselected(set, codelet, [&](ADCL_Request* request) {
      return ADCL_Halo_init(ADCL_HALO(data_.data(), dimensions, extents.data(), scalar_or_components, 1, MPI_DOUBLE),
                            cart_, request);
    });
  } catch (...) {
    MPI_Comm_free(&cart_);
    throw;
  }
}

std::size_t HaloExchange::index_of(const Point& point) const {
  std::size_t index = 0;
  for (const int coordinate : point) {
    index = index * static_cast<std::size_t>(block_ + 2) + static_cast<std::size_t>(coordinate);
  }
  return index * static_cast<std::size_t>(components_);
}

double HaloExchange::number_of(const Point& point) const {
  double number = 0.0;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const int points = block_ * processes_[d];
    number = number * points + (block_ * coordinates_[d] + point[d] - 1 + points) % points;
  }
  return number;
}

int HaloExchange::halos_of(const Point& point) const {
  int halos = 0;
  for (const int coordinate : point) {
    halos += coordinate == 0 || coordinate == block_ + 1 ? 1 : 0;
  }
  return halos;
}

template <typename Visit>
void HaloExchange::for_each_point(Visit visit) const {
  for (int i = 0; i < block_ + 2; ++i) {
    for (int j = 0; j < block_ + 2; ++j) {
      for (int k = 0; k < block_ + 2; ++k) {
        visit(Point{i, j, k});
      }
    }
  }
}

bool HaloExchange::correct() {
  for_each_point([&](const Point& point) {
    for (int component = 0; component < components_; ++component) {
      data_[index_of(point) + static_cast<std::size_t>(component)] =
          halos_of(point) == 0 ? number_of(point) + component : std::numeric_limits<double>::quiet_NaN();
    }
  });
  run();
  bool right = code_ == ADCL_SUCCESS;
  for_each_point([&](const Point& point) {
    for (int component = 0; component < components_; ++component) {
      right = right && (halos_of(point) > 1 ||
                        data_[index_of(point) + static_cast<std::size_t>(component)] == number_of(point) + component);
    }
  });
  return right;
}

/// The patterns, followed by one pattern for each collective.
std::vector<Pattern> with_collectives(std::vector<Pattern> patterns) {
  for (Pattern& pattern : collective_patterns()) {
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = with_collectives(
      {{"neighborhood", "halo exchange", 0, true,
        [](const Setting& setting, const std::string& set, const std::string& codelet) -> OperationPointer {
          return std::make_unique<HaloExchange>(setting, set, codelet);
        }}});
  return all;
}

const FunctionSet& find_set(const std::string& wanted) {
  std::vector<std::string> names;
  for (const codelets::PredefinedSet& predefined : codelets::sets()) {
    const FunctionSet& set = predefined.set();
    if (set.name == wanted) {
      return set;
    }
    names.push_back(set.name);
  }
  throw UsageError("--codelets: there is no function set '" + wanted + "'; did you mean " + nearest(wanted, names) +
                   "?");
}

const Pattern& pattern_of(const FunctionSet& set) {
  for (const Pattern& pattern : patterns()) {
    if (pattern.set == set.name) {
      return pattern;
    }
  }
  throw UsageError("--codelets: adcl-bench cannot measure codelets of " + set.name);
}

}  // namespace

Functions codelet_functions(const std::string& choice) {
  const std::string wanted_set = choice.substr(0, choice.find(':'));
  const std::string wanted = wanted_set.size() < choice.size() ? choice.substr(wanted_set.size() + 1) : "";
  const FunctionSet& set = find_set(wanted_set);
  const Pattern& pattern = pattern_of(set);
  Functions functions;
  std::vector<std::string> names;
  for (const Codelet& codelet : set.codelets) {
    names.push_back(codelet.name);
    if (wanted.empty() || codelet.name == wanted) {
      functions.push_back({set.name + ":" + codelet.name, Measured::time, codelet.expectation, pattern.summary,
                           pattern.unit_bytes, pattern.has_block,
                           [&pattern, set = set.name, name = codelet.name](const Setting& setting) {
                             return pattern.make(setting, set, name);
                           }});
    }
  }
  if (functions.empty()) {
    throw UsageError("--codelets: " + set.name + " has no codelet '" + wanted + "'; did you mean " +
                     nearest(wanted, names) + "?");
  }
  return functions;
}

}  // namespace adcl::bench
