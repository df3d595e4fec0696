#include "options.hpp"

#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

namespace mafia {
namespace {

template <typename Number>
Number number(const std::string& option, std::string_view text, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw UsageError(option + " takes whole numbers from " + std::to_string(least) + " to " + std::to_string(most) +
                     ", not '" + std::string(text) + "'");
  }
  return value;
}

/// Parses "5" or "3-16".
std::vector<int> range(const std::string& option, const std::string& text) {
  constexpr int least = 2;
  constexpr int most = 24;
  const std::size_t dash = text.find('-');
  const int first = number(option, std::string_view(text).substr(0, dash), least, most);
  const int last =
      dash == std::string::npos ? first : number(option, std::string_view(text).substr(dash + 1), first, most);
  std::vector<int> values;
  for (int value = first; value <= last; ++value) {
    values.push_back(value);
  }
  return values;
}

std::vector<Kernels> kernels_of(const std::string& option, const std::string& text) {
  const std::map<std::string, std::vector<Kernels>> known = {
      {"bitmap", {Kernels::bitmap}}, {"set", {Kernels::set}}, {"both", {Kernels::bitmap, Kernels::set}}};
  const auto found = known.find(text);
  if (found == known.end()) {
    throw UsageError(option + " takes bitmap, set or both, not '" + text + "'");
  }
  return found->second;
}

}  // namespace

Options parse_options(std::span<const std::string> arguments) {
  Options options;
  options.cluster_dimensions = range("--k", "3-16");
  using Setter = std::function<void(const std::string&, const std::string&)>;
  PointSettings& plan = options.plan;
  const std::map<std::string, Setter> setters = {
      {"--k", [&](auto& name, auto& value) { options.cluster_dimensions = range(name, value); }},
      {"--points", [&](auto& name, auto& value) { plan.points = number<std::size_t>(name, value, 1000, 100000000); }},
      {"--dimensions", [&](auto& name, auto& value) { plan.dimensions = number(name, value, 2, 1000); }},
      {"--clusters", [&](auto& name, auto& value) { plan.clusters = number(name, value, 1, 6); }},
      {"--seed",
       [&](auto& name, auto& value) {
         plan.seed = number<std::uint64_t>(name, value, 0, std::numeric_limits<std::uint64_t>::max());
       }},
      {"--kernels", [&](auto& name, auto& value) { options.kernels = kernels_of(name, value); }},
      {"--repetitions", [&](auto& name, auto& value) { options.repetitions = number(name, value, 1, 100000); }},
      {"--output", [&](auto&, auto& value) { options.output = value; }},
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t equals = arguments[i].find('=');
    const std::string name = arguments[i].substr(0, equals);
    if (name == "--help" || name == "-h") {
      options.help = true;
      continue;
    }
    const auto setter = setters.find(name);
    if (setter == setters.end()) {
      throw UsageError("there is no option '" + name + "' (mafia --help lists them)");
    }
    if (equals == std::string::npos && i + 1 == arguments.size()) {
      throw UsageError(name + " needs a value");
    }
    setter->second(name, equals == std::string::npos ? arguments[++i] : arguments[i].substr(equals + 1));
  }
  if (options.cluster_dimensions.back() > plan.dimensions) {
    throw UsageError("--k " + std::to_string(options.cluster_dimensions.back()) + ": points have only " +
                     std::to_string(plan.dimensions) + " dimensions; raise --dimensions");
  }
  return options;
}

std::string help_text() {
  return "mafia: finds clusters that are dense in some of the dimensions only, with adaptive grids (MAFIA), and times\n"
         "the kernels gen, dedup, pcount and unjoin. mafia generates points with planted clusters, and checks that\n"
         "it finds all planted clusters and no others. It writes a line of JSON per kernel and number k of cluster "
         "dimensions.\n"
         "\n"
         "usage: mafia [options]\n"
         "\n"
         "  --k N or N-M         number of dimensions of a cluster (default 3-16)\n"
         "  --points N           number of points (default 100000)\n"
         "  --dimensions N       number of dimensions of the points (default 20)\n"
         "  --clusters N         number of clusters, 1 to 6 (default 3)\n"
         "  --kernels KIND       bitmap, set or both (default bitmap): representation of units and points\n"
         "  --repetitions N      number of repetitions (default 5)\n"
         "  --seed N             seed of the random points (default 1)\n"
         "  --output FILE        write the records to FILE (default: stdout)\n"
         "  --help               print this text\n"
         "\n"
         "Exit code 0: the planted clusters were found; 1: they were not, or an error occurred; 2: usage error.\n";
}

}  // namespace mafia
