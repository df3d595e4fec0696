// with: halo/methods.cpp halo/turns.cpp halo/twins/*.cpp
// options: -O3
// Compares the best codelet of a halo exchange with the best exchange of typical MPI programs, and with one copy of the
// received data.
//
// For every setting (dimensions, block size; periodic, or open and divided along the first or the last dimension, so
// that a face is contiguous or strided) all codelets, all twins and the bound take turns (methods.hpp). The settings
// `comb` are the pattern of LLNL Comb: three fields, edges and corners too, periodic.
// Usage: bench_halo FILE [PART ...]: only the settings whose name contains one of the parts.
#include <ADCL.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/document.hpp"
#include "halo/methods.hpp"

namespace {

using bench::Json;

constexpr unsigned seed = 20070326;
const int rounds = bench::effort(60, 2);

enum class Cut { periodic, contiguous, strided };
constexpr int comb_fields = 3;

struct Setting {
  int ndims;
  int side;
  Cut cut;
  bool comb = false;
  [[nodiscard]] std::string name() const {
    if (comb) {
      return "comb_" + std::to_string(side);
    }
    constexpr const char* cuts[] = {"_periodic", "_contiguous", "_strided"};
    return std::to_string(ndims) + "d_" + std::to_string(side) + cuts[static_cast<int>(cut)];
  }
};

/// The block and its communicator.
class Grid {
 public:
  explicit Grid(const Setting& setting) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const auto n = static_cast<std::size_t>(setting.ndims);
    const bool periodic = setting.cut == Cut::periodic;
    std::vector<int> grid(n, periodic ? 0 : 1);
    if (!periodic) {
      (setting.cut == Cut::contiguous ? grid.front() : grid.back()) = size;
    }
    const std::vector<int> periods(n, periodic ? 1 : 0);
    MPI_Dims_create(size, setting.ndims, grid.data());
    MPI_Cart_create(MPI_COMM_WORLD, setting.ndims, grid.data(), periods.data(), 0, &block_.cart);
    block_.dims.assign(n, setting.side + 2);
    block_.corners = setting.comb;
    const std::size_t fields = setting.comb ? comb_fields : 1;
    data_.resize(fields * block_.points());
    for (std::size_t f = 0; f < fields; ++f) {
      block_.fields.push_back(data_.data() + f * block_.points());
    }
  }
  ~Grid() { MPI_Comm_free(&block_.cart); }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  [[nodiscard]] const twins::Block& block() const { return block_; }

 private:
  twins::Block block_;
  std::vector<double> data_;
};

std::vector<Setting> settings(const std::vector<std::string>& parts) {
  std::vector<Setting> list;
  for (const int ndims : {2, 3}) {
    for (const int side : {4, 16, 64, 128, 256}) {
      for (const Cut cut : {Cut::periodic, Cut::contiguous, Cut::strided}) {
        list.push_back({ndims, side, cut});
      }
    }
  }
  for (const int side : {16, 50, 100}) {
    list.push_back({3, side, Cut::periodic, true});
  }
  std::erase_if(list, [&](const Setting& setting) {
    const auto holds = [&](const std::string& part) { return setting.name().find(part) != std::string::npos; };
    return !parts.empty() && std::none_of(parts.begin(), parts.end(), holds);
  });
  return bench::in_form(list);
}

}  // namespace

int main(int argc, char** argv) {
  if (!bench::names_a_file(argc > 1 ? 2 : argc, argv)) {
    return 2;
  }
  MPI_Init(&argc, &argv);
  bench::check(ADCL_Init(), "ADCL_Init");
  std::mt19937 random(seed);
  Json figures = Json::array();
  Json medians = Json::object();
  Json wrong = Json::object();
  for (const Setting& setting : settings({argv + 2, argv + argc})) {
    const Grid grid(setting);
    auto methods = bench::methods_for(grid.block());
    const auto excluded = bench::remove_wrong(methods, grid.block());
    if (!excluded.empty()) {
      wrong[setting.name()] = excluded;
    }
    bench::measure(methods, grid.block(), random, rounds);
    const Json both = bench::figures_of(setting.name(), methods);
    figures.insert(figures.end(), both.begin(), both.end());
    medians[setting.name()] = bench::all_medians(methods);
    bench::print_progress(setting.name(), both);
  }
  const Json context = {
      {"seed", seed}, {"rounds", rounds}, {"medians_us", medians}, {"twins_with_wrong_results", wrong}};
  const int code = bench::write_document(argv[1], context, figures);
  bench::check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return code;
}
