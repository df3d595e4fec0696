// ranks: 4
// with: halo/methods.cpp halo/twins/*.cpp
// options: -O3
// More ranks than cores: codelets that exchange through shared memory and wait without MPI, compared with codelets that
// send messages. Four ranks exchange the halo of a block on a machine with two cores, where a waiting rank can take the
// core from the rank that it waits for.
//
// All codelets take turns in rounds of random order that is the same on all ranks; a sample is the mean of some calls,
// maximum over the ranks, and a figure is the median ratio of the samples of a round.
// Usage: bench_oversubscribed FILE
#include <ADCL.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "common/document.hpp"
#include "common/median.hpp"
#include "halo/methods.hpp"

namespace {

using bench::Json;
using bench::Method;

constexpr unsigned seed = 20130907;
const int rounds = bench::effort(15, 1);
const int calls = bench::effort(8, 1);
constexpr double very_long_s = 0.1;  ///< a codelet with a longer call cannot be the best

bool begins_with(const Method& method, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return method.name.starts_with(word); });
}
bool is_shared(const Method& method) { return begins_with(method, {"Shm_"}); }
bool has_messages(const Method& method) {
  return !begins_with(method, {"Shm_", "Winfence", "PostStart", "PassivePut", "Neighbor", "Ineighbor", "Node_"});
}

double sample(const Method& method) {
  return bench::mean_seconds(calls, [&method] { method.run(); });
}

Json figure_of(const std::string& setting, const Method& shared, const Method& other, const char* role) {
  Json figure = bench::ratio_figure(shared.name + "_over_" + role + "." + setting, shared.samples, other.samples);
  figure.update({{"other", other.name},
                 {"codelet_us", bench::median_of(shared.samples).median * 1e6},
                 {"other_us", bench::median_of(other.samples).median * 1e6}});
  if (bench::world_rank() == 0) {
    std::printf("%-50s %.3f   %10.1f us   %-24s %10.1f us\n", figure["name"].get<std::string>().c_str(),
                figure["value"].get<double>(), figure["codelet_us"].get<double>(), other.name.c_str(),
                figure["other_us"].get<double>());
    std::fflush(stdout);
  }
  return figure;
}

/// Figures of one block, and the medians of all codelets.
void compare(int side, std::mt19937& random, Json& figures, Json& medians) {
  twins::Block block;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::array<int, 3> grid{};
  const std::array<int, 3> periods{1, 1, 1};
  MPI_Dims_create(size, 3, grid.data());
  MPI_Cart_create(MPI_COMM_WORLD, 3, grid.data(), periods.data(), 0, &block.cart);
  block.dims.assign(3, side + 2);
  std::vector<double> data(block.points());
  block.fields = {data.data()};
  {
    std::vector<Method> methods = bench::methods_for(block);
    bench::remove_wrong(methods, block);
    std::erase_if(methods, [](const Method& method) {
      return method.kind != bench::Kind::codelet || method.first_s > very_long_s;
    });
    for (int round = 0; round < rounds; ++round) {
      std::vector<Method*> order;
      for (Method& method : methods) {
        order.push_back(&method);
      }
      std::shuffle(order.begin(), order.end(), random);
      for (Method* method : order) {
        method->samples.push_back(sample(*method));
      }
    }
    const auto median = [](const Method& method) { return bench::median_of(method.samples).median; };
    const auto faster = [&](const Method& a, const Method& b) { return median(a) < median(b); };
    std::vector<Method> two_sided;
    std::copy_if(methods.begin(), methods.end(), std::back_inserter(two_sided), has_messages);
    const Method& best = *std::min_element(two_sided.begin(), two_sided.end(), faster);
    const Method& slowest = *std::max_element(two_sided.begin(), two_sided.end(), faster);
    const std::string setting = "3d_" + std::to_string(side);
    for (const Method& method : methods) {
      medians[setting][method.name] = median(method) * 1e6;
      if (is_shared(method)) {
        figures.push_back(figure_of(setting, method, best, "best_two_sided"));
        figures.push_back(figure_of(setting, method, slowest, "slowest_two_sided"));
      }
    }
  }
  MPI_Comm_free(&block.cart);
}

}  // namespace

int main(int argc, char** argv) {
  if (!bench::names_a_file(argc, argv)) {
    return 2;
  }
  MPI_Init(&argc, &argv);
  bench::check(ADCL_Init(), "ADCL_Init");
  std::mt19937 random(seed);
  Json figures = Json::array();
  Json medians = Json::object();
  for (const int side : bench::in_form(std::vector{8, 32, 64})) {
    compare(side, random, figures, medians);
  }
  const Json context = {
      {"cores", sysconf(_SC_NPROCESSORS_ONLN)}, {"seed", seed}, {"rounds", rounds}, {"medians_us", medians}};
  const int code = bench::write_document(argv[1], context, figures);
  bench::check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return code;
}
