#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "options.hpp"
#include "search.hpp"

namespace {

using Json = nlohmann::ordered_json;
using mafia::Kernels;

constexpr int schema = 1;
/// The found edges of clusters differ from the planted edges, because they lie at ends of intervals, and intervals are
/// grouped into windows.
constexpr double tolerance = 0.025;
/// Expected growth of the kernels' times with k (Adinetz et al. 2013, with sets).
constexpr std::array<const char*, 4> expectations{"k^3 2^k", "k^4 2^k", "k 2^k", "k^3 2^k"};

/// Destination of the records.
class Output {
 public:
  explicit Output(const std::string& path) {
    if (!path.empty()) {
      file_.open(path);
    }
    if (file_.fail()) {
      throw mafia::UsageError("--output: cannot write to " + path);
    }
  }
  void write(const Json& record) {
    (file_.is_open() ? static_cast<std::ostream&>(file_) : std::cout) << record.dump() << '\n' << std::flush;
    if (file_.fail() || std::cout.fail()) {
      throw std::runtime_error("the records could not be written");
    }
  }

 private:
  std::ofstream file_;
};

void write_records(Output& output, const mafia::PointSettings& plan, Kernels kernels,
                   const std::array<std::vector<double>, 4>& seconds) {
  const std::string kind = kernels == Kernels::bitmap ? "bitmap" : "set";
  for (std::size_t kernel = 0; kernel < seconds.size(); ++kernel) {
    output.write({{"schema", schema},
                  {"context",
                   {{"program", "mafia"},
                    {"kernels", kind},
                    {"points", plan.points},
                    {"dimensions", plan.dimensions},
                    {"clusters", plan.clusters},
                    {"seed", plan.seed}}},
                  {"function", std::string(mafia::kernel_names[kernel]) + ":" + kind},
                  {"metric", "time_s"},
                  {"expectation", expectations[kernel]},
                  {"parameters", {{"k", plan.cluster_dimensions}}},
                  {"repetitions", seconds[kernel]},
                  {"discarded", 0}});
  }
}

void measure(Output& output, const mafia::Options& options, int k, Kernels kernels) {
  mafia::PointSettings plan = options.plan;
  plan.cluster_dimensions = k;
  const mafia::PlantedPoints planted = mafia::plant(plan);
  std::array<std::vector<double>, 4> seconds;
  for (int repetition = 0; repetition < options.repetitions; ++repetition) {
    const mafia::Result result = mafia::search(planted.points, {}, kernels);
    const std::string wrong = mafia::difference(planted.boxes, result.clusters, tolerance);
    if (!wrong.empty()) {
      throw std::runtime_error("k = " + std::to_string(k) + ", seed " + std::to_string(plan.seed) + ": " + wrong);
    }
    for (std::size_t kernel = 0; kernel < seconds.size(); ++kernel) {
      seconds[kernel].push_back(result.seconds[kernel]);
    }
  }
  write_records(output, plan, kernels, seconds);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const mafia::Options options = mafia::parse_options(arguments);
    if (options.help) {
      std::cout << mafia::help_text();
      return 0;
    }
    Output output(options.output);
    for (const Kernels kernels : options.kernels) {
      for (const int k : options.cluster_dimensions) {
        measure(output, options, k, kernels);
      }
    }
    return 0;
  } catch (const mafia::UsageError& error) {
    std::cerr << "mafia: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "mafia: " << error.what() << '\n';
    return 1;
  }
}
