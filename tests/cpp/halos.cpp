// ranks: 1 2 3 4
// timeout: 120
// Halos of random views, bit for bit as with the C interface on a compact array: shapes, widths, storage orders,
// distances of elements, padding, permuted dimensions, corners, entries of a point, and several fields.
#include <adcl.hpp>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/checks.hpp"
#include "views.hpp"

namespace {

using adcl::test::expect;
using adcl::test::ok;

constexpr int trials = 60;
constexpr int starts = 6;  // several codelets run

enum Layout { c_order, fortran_order, stepped, padded, permuted, layouts };

/// A random problem, the same on all ranks.
struct Problem {
  std::size_t ndims = 1;
  std::vector<int> extents;  // with halo, and with the entries
  std::vector<int> low;
  std::vector<int> high;
  bool corners = false;
  adcl::Entries entries = adcl::Entries::none;
  Layout layout = c_order;
};

struct Strides {
  std::vector<int> of;
  std::size_t elements = 0;
};

/// Strides of \p extents in this layout, from the innermost dimension on.
Strides strides_of(const std::vector<int>& extents, Layout layout, std::mt19937& random) {
  const std::size_t n = extents.size();
  std::vector<std::size_t> inner_first(n);
  for (std::size_t i = 0; i < n; ++i) {
    inner_first[i] = layout == fortran_order ? i : n - 1 - i;
  }
  if (layout == permuted) {
    std::shuffle(inner_first.begin(), inner_first.end(), random);
  }
  Strides result{.of = std::vector<int>(n)};
  int stride = layout == stepped ? 3 : 1;
  for (const std::size_t d : inner_first) {
    result.of[d] = stride;
    stride *= extents[d] + (layout == padded ? 2 : 0);
  }
  result.elements = static_cast<std::size_t>(stride);
  return result;
}

Problem random_problem(std::mt19937& random) {
  const auto number = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  Problem problem;
  problem.ndims = static_cast<std::size_t>(number(1, 3));
  problem.corners = problem.ndims > 1 && number(0, 2) == 0;
  problem.layout = static_cast<Layout>(number(0, layouts - 1));
  problem.entries = static_cast<adcl::Entries>(number(0, 2));
  const bool symmetric = number(0, 1) == 0;
  const int width = number(1, 2);
  for (std::size_t d = 0; d < problem.ndims; ++d) {
    problem.low.push_back(symmetric ? width : number(0, 2));
    problem.high.push_back(symmetric ? width : number(0, 2));
    problem.extents.push_back(problem.low[d] + problem.high[d] + number(2, 6));
  }
  if (problem.entries == adcl::Entries::last) {
    problem.extents.push_back(number(1, 3));
  } else if (problem.entries == adcl::Entries::first) {
    problem.extents.insert(problem.extents.begin(), number(1, 3));
  }
  return problem;
}

/// Calls \p work(point) for all points of an array, the last dimension innermost.
template <typename Work>
void for_points(const std::vector<int>& extents, Work work) {
  std::vector<int> point(extents.size(), 0);
  while (true) {
    work(point);
    std::size_t d = extents.size();
    while (d > 0 && ++point[d - 1] == extents[d - 1]) {
      point[--d] = 0;
    }
    if (d == 0) {
      return;
    }
  }
}

std::size_t offset(const std::vector<int>& point, const std::vector<int>& strides) {
  std::size_t result = 0;
  for (std::size_t d = 0; d < point.size(); ++d) {
    result += static_cast<std::size_t>(point[d]) * static_cast<std::size_t>(strides[d]);
  }
  return result;
}

/// The exchange through ADCL.h, on a compact array in C order with the entries of a point last.
class Reference {
 public:
  Reference(const Problem& problem, MPI_Comm cart) : problem_(problem) {
    std::vector<int> dims = problem.extents;
    int nc = 0;
    if (problem.entries != adcl::Entries::none) {
      const auto at = problem.entries == adcl::Entries::first ? dims.begin() : dims.end() - 1;
      nc = *at;
      dims.erase(at);
    }
    extents_ = dims;
    extents_.push_back(std::max(nc, 1));
    std::size_t elements = 1;
    for (const int extent : extents_) {
      elements *= static_cast<std::size_t>(extent);
    }
    values_.resize(elements);
    ok(ADCL_Vector_register(static_cast<int>(dims.size()), dims.data(), nc, MPI_INT64_T, values_.data(), &vector_),
       "ADCL_Vector_register");
    ok(ADCL_Vmap_halo_allocate_generic(static_cast<int>(dims.size()), problem.low.data(), problem.high.data(), &vmap_),
       "ADCL_Vmap_halo_allocate_generic");
    ok(problem.corners ? ADCL_Topology_create_extended(cart, &topology_) : ADCL_Topology_create(cart, 0, &topology_),
       "ADCL_Topology_create");
    ok(ADCL_Request_create(vector_, vmap_, topology_, ADCL_FNCTSET_NEIGHBORHOOD, &request_), "ADCL_Request_create");
  }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  ~Reference() {
    ok(ADCL_Request_free(&request_), "ADCL_Request_free");
    ok(ADCL_Topology_free(&topology_), "ADCL_Topology_free");
    ok(ADCL_Vmap_free(&vmap_), "ADCL_Vmap_free");
    ok(ADCL_Vector_deregister(&vector_), "ADCL_Vector_deregister");
  }

  void start() { ok(ADCL_Request_start(request_), "ADCL_Request_start"); }

  /// The element at a point of the view.
  std::int64_t& at(const std::vector<int>& point) {
    std::vector<int> place = point;
    int entry = 0;
    if (problem_.entries != adcl::Entries::none) {
      const auto where = problem_.entries == adcl::Entries::first ? place.begin() : place.end() - 1;
      entry = *where;
      place.erase(where);
    }
    place.push_back(entry);
    std::size_t index = 0;
    for (std::size_t d = 0; d < place.size(); ++d) {
      index = index * static_cast<std::size_t>(extents_[d]) + static_cast<std::size_t>(place[d]);
    }
    return values_[index];
  }

 private:
  Problem problem_;
  std::vector<int> extents_;
  std::vector<std::int64_t> values_;
  ADCL_Vector vector_ = ADCL_VECTOR_NULL;
  ADCL_Vmap vmap_ = ADCL_VMAP_NULL;
  ADCL_Topology topology_ = ADCL_TOPOLOGY_NULL;
  ADCL_Request request_ = ADCL_REQUEST_NULL;
};

/// The array of a problem, as a view of N dimensions.
template <std::size_t N>
adcl::Field field_of(std::vector<std::int64_t>& values, const Problem& problem, const std::vector<int>& strides,
                     bool kokkos) {
  adcl::HaloOptions options{
      .low = problem.low, .high = problem.high, .corners = problem.corners, .entries = problem.entries};
  if (problem.low == problem.high && problem.low == std::vector<int>(problem.ndims, problem.low[0])) {
    options.width = problem.low[0];
    options.low.clear();
    options.high.clear();
  }
  if (kokkos) {
    std::array<std::size_t, N> extents{};
    std::array<std::size_t, N> distances{};
    for (std::size_t d = 0; d < N; ++d) {
      extents[d] = static_cast<std::size_t>(problem.extents[d]);
      distances[d] = static_cast<std::size_t>(strides[d]);
    }
    return adcl::field(views::KokkosView<std::int64_t, N>(values.data(), extents, distances), options);
  }
  std::array<int, N> extents{};
  std::array<int, N> distances{};
  std::copy_n(problem.extents.begin(), N, extents.begin());
  std::copy_n(strides.begin(), N, distances.begin());
  return adcl::field(views::Mdspan<std::int64_t, N>(values.data(), extents, distances), options);
}

adcl::Field field_of(std::vector<std::int64_t>& values, const Problem& problem, const std::vector<int>& strides,
                     bool kokkos) {
  switch (problem.extents.size()) {
    case 1:
      return field_of<1>(values, problem, strides, kokkos);
    case 2:
      return field_of<2>(values, problem, strides, kokkos);
    case 3:
      return field_of<3>(values, problem, strides, kokkos);
    default:
      return field_of<4>(values, problem, strides, kokkos);
  }
}

MPI_Comm cartesian(std::size_t ndims, std::mt19937& random) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<int> dims(ndims, 0);
  std::vector<int> periods(ndims);
  for (int& period : periods) {
    period = std::uniform_int_distribution<int>(0, 1)(random);
  }
  MPI_Dims_create(size, static_cast<int>(ndims), dims.data());
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(ndims), dims.data(), periods.data(), 0, &cart);
  return cart;
}

/// Number of trials with an exchange.
int compared = 0;

/// Whether the MPI library may refuse views that are not compact: SMPI has no distributed graphs.
bool may_refuse([[maybe_unused]] std::error_code code) {
#ifdef SMPI_H
  return code == adcl::Errc::unsupported;
#else
  return false;
#endif
}

void compare(int trial, std::mt19937& random) {
  const Problem problem = random_problem(random);
  MPI_Comm cart = cartesian(problem.ndims, random);
  int rank = 0;
  MPI_Comm_rank(cart, &rank);
  const Strides strides = strides_of(problem.extents, problem.layout, random);
  constexpr std::int64_t untouched = -7;
  std::vector<std::int64_t> values(strides.elements, untouched);
  const bool several = trial % 4 == 0;
  std::vector<std::int64_t> second(strides.elements);
  {
    Reference reference(problem, cart);
    std::vector<adcl::Field> fields{field_of(values, problem, strides.of, trial % 2 == 0)};
    if (several) {
      fields.push_back(field_of(second, problem, strides.of, false));
    }
    std::error_code code;
    adcl::Request halo = adcl::halo(fields, cart, code);
    expect(!code || may_refuse(code), "trial " + std::to_string(trial) + ": " + code.message());
    compared += code ? 0 : 1;
    std::int64_t value = 1000000 * (rank + 1);
    for (int start = 0; !code && start < starts; ++start) {
      for_points(problem.extents, [&](const std::vector<int>& point) {
        ++value;
        reference.at(point) = value;
        values[offset(point, strides.of)] = value;
        second[offset(point, strides.of)] = 3 * value;
      });
      reference.start();
      halo.start();
      std::size_t different = 0;
      std::size_t touched = 0;
      for_points(problem.extents, [&](const std::vector<int>& point) {
        std::int64_t& mine = values[offset(point, strides.of)];
        different += mine != reference.at(point) ? 1 : 0;
        different += several && second[offset(point, strides.of)] != 3 * reference.at(point) ? 1 : 0;
        mine = untouched;
      });
      for (const std::int64_t one : values) {
        touched += one != untouched ? 1 : 0;
      }
      expect(different == 0 && touched == 0, "trial " + std::to_string(trial) + ", layout " +
                                                 std::to_string(problem.layout) + ", codelet " + halo.current() + ": " +
                                                 std::to_string(different) + " different elements, " +
                                                 std::to_string(touched) + " written between the elements");
    }
  }
  MPI_Comm_free(&cart);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const adcl::Library library;
    adcl::set_option("ADCL_SEARCH", "brute_force");
    adcl::set_option("ADCL_MEASUREMENTS", "1");
    std::vector<double> rod(10);
    std::error_code code;
    (void)adcl::halo(rod, MPI_COMM_WORLD, {}, code);
    expect(code == adcl::Errc::argument, "a communicator without topology");
    std::mt19937 random(20260);
    for (int trial = 0; trial < trials; ++trial) {
      compare(trial, random);
    }
    expect(compared >= trials / 3, "only " + std::to_string(compared) + " trials were compared");
  }
  const int code = adcl::test::exit_code();
  MPI_Finalize();
  return code;
}
