#include "options.hpp"

#include <charconv>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

#include "exchange.hpp"

namespace solver3d {
namespace {

constexpr long largest_extent = 1L << 20;
constexpr int largest_count = 1000000000;

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

int parse_count(const std::string& option, std::string_view text) {
  const auto value = number<int>(text);
  if (!value || *value < 1 || *value > largest_count) {
    throw UsageError(option + " takes a whole number from 1 to " + std::to_string(largest_count) + ", not '" +
                     std::string(text) + "'");
  }
  return *value;
}

double parse_tolerance(const std::string& option, std::string_view text) {
  const auto value = number<double>(text);
  if (!value || !(*value >= 1e-14 && *value < 1.0)) {
    throw UsageError(option + " takes a number from 1e-14 to below 1, not '" + std::string(text) + "'");
  }
  return *value;
}

Extents parse_size(const std::string& option, std::string_view text) {
  Extents size{};
  std::string_view rest = text;
  double padded = 1.0;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t cut = d < 2 ? rest.find('x') : rest.size();
    const auto value = cut == std::string_view::npos ? std::nullopt : number<long>(rest.substr(0, cut));
    if (!value || *value < 1 || *value > largest_extent) {
      throw UsageError(option + " takes three extents from 1 to " + std::to_string(largest_extent) +
                       " such as 64x32x32, not '" + std::string(text) + "'");
    }
    size[d] = static_cast<int>(*value);
    padded *= static_cast<double>(*value + 2);
    rest.remove_prefix(d < 2 ? cut + 1 : cut);
  }
  if (padded > std::numeric_limits<int>::max()) {
    throw UsageError(option + " " + std::string(text) + " is more than 2147483647 points per process, halo included");
  }
  return size;
}

std::string method_names() {
  std::string names;
  for (const Method& method : methods()) {
    names += (names.empty() ? "" : ", ") + std::string(method.name);
  }
  return names;
}

void check_method(const std::string& name, bool overlap) {
  const Method* const method = find_method(name);
  if (method == nullptr && name == "adcl") {
    throw UsageError("--exchange adcl: this solver3d was built without ADCL; use one of " + method_names());
  }
  if (method == nullptr) {
    throw UsageError("--exchange takes one of " + method_names() + ", not '" + name + "'");
  }
  if (overlap && method->make_overlapping == nullptr) {
    throw UsageError("--overlap works with --exchange adcl, not with " + name);
  }
}

}  // namespace

Options parse_options(std::span<const std::string> arguments) {
  Options options;
  options.exchange = methods().front().name;
  bool iterations = false;
  apps::Arguments rest(arguments);
  while (rest.next()) {
    const std::string& option = rest.option();
    if (option == "--size") {
      options.size = parse_size(option, rest.text());
    } else if (option == "--iterations") {
      options.iterations = parse_count(option, rest.text());
      iterations = true;
    } else if (option == "--steps") {
      options.steps = parse_count(option, rest.text());
    } else if (option == "--tolerance") {
      options.tolerance = parse_tolerance(option, rest.text());
    } else if (option == "--exchange") {
      options.exchange = rest.text();
    } else if (option == "--overlap") {
      options.overlap = rest.flag();
    } else if (option == "--json") {
      options.json = rest.text();
      if (options.json.empty()) {
        throw UsageError("--json takes the name of a file");
      }
    } else if (option == "--quiet") {
      options.quiet = rest.flag();
    } else if (option == "--help" || option == "-h") {
      options.help = rest.flag();
    } else {
      throw UsageError("there is no option '" + option + "' (solver3d --help lists them)");
    }
  }
  if (iterations && options.steps > 0) {
    throw UsageError("--iterations and --steps exclude each other: use only one of them");
  }
  check_method(options.exchange, options.overlap);
  return options;
}

std::string help_text() {
  std::ostringstream text;
  text << "solver3d: a three-dimensional convection-diffusion equation, solved with TFQMR and Jacobi preconditioning.\n"
          "A halo exchange precedes every matrix-vector product; --exchange selects its method.\n"
          "\n"
          "usage: mpirun -n RANKS solver3d [options]\n"
          "\n"
          "  --size NXxNYxNZ     grid points per process (default 32x32x32)\n"
          "  --iterations N      stop after N iterations (default 500), counted over all time steps: when a step is\n"
          "                      solved, the next step begins, so all N iterations do real work\n"
          "  --steps N           stop after N time steps instead of N iterations\n"
          "  --tolerance EPS     a time step is solved when its residual is below EPS times the norm of the right\n"
          "                      side (default 1e-8)\n"
          "  --exchange NAME     method of the exchange, one of\n";
  for (const Method& method : methods()) {
    text << "                        " << method.name << std::string(11 - method.name.size(), ' ') << method.summary
         << "\n";
  }
  text << "                      (default " << methods().front().name
       << ")\n"
          "  --overlap           with adcl: compute inside the block during the communication\n"
          "  --json FILE         also write the results as one JSON object\n"
          "  --quiet             print only errors\n"
          "  --help              print this text\n"
          "\n"
          "The program checks its answer. Exit code 0: the answer is right; 1: it is wrong, or the solver failed; 2: "
          "usage error.\n"
          "ADCL's own options are environment variables, such as ADCL_SEARCH=brute_force.\n"
          "\n"
          "examples:\n"
          "  mpirun -n 4 solver3d\n"
          "  mpirun -n 4 solver3d --size 64x32x32 --exchange fcfs-pack\n"
          "  mpirun -n 8 solver3d --exchange adcl --overlap --iterations 1000 --json run.json\n"
          "  mpirun -n 3 solver3d --size 16x16x16 --steps 2 --tolerance 1e-10\n";
  return text.str();
}

}  // namespace solver3d
