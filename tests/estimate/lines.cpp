// Statistical methods for programs of other languages. Each input line is "METHOD FRACTION SAMPLE...", each output line
// the method's numbers: mean, filtered mean, outliers, measurements, spread. `estimate_lines --times N` adds the
// processor time of one evaluation in seconds, measured N times.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "measure/estimator.hpp"

namespace {

/// Mean processor time of one evaluation in seconds, over at least 5 ms. Evaluates the samples in many orders, because
/// a processor predicts the branches of a repeated order and then sorts several times as fast.
double seconds_of(const adcl::measure::Estimator& method, const std::vector<double>& samples,
                  const adcl::OptionValues& options) {
  std::vector<std::vector<double>> orders(std::max<std::size_t>(1, 65536 / samples.size()), samples);
  std::mt19937 random(1);
  for (std::vector<double>& order : orders) {
    std::ranges::shuffle(order, random);
  }
  const std::clock_t begin = std::clock();
  std::size_t count = 0;
  while (std::clock() - begin < CLOCKS_PER_SEC / 200) {
    for (const std::vector<double>& order : orders) {
      method.summarize(order, options);
    }
    count += orders.size();
  }
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / static_cast<double>(count);
}

}  // namespace

int main(int argc, char** argv) {
  const int times = argc == 3 && std::string(argv[1]) == "--times" ? std::atoi(argv[2]) : 0;
  std::string line;
  std::cout.precision(17);
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string name;
    std::string fraction;
    words >> name >> fraction;
    const std::vector<double> samples(std::istream_iterator<double>(words), {});
    const adcl::measure::Estimator& method = adcl::measure::find(name);
    adcl::OptionValues options(method.options);
    for (const adcl::Option& option : method.options) {
      if (option.name == "ADCL_OUTLIER_FRACTION") {
        options.set(option, fraction);
      }
    }
    const adcl::measure::Numbers numbers = method.summarize(samples, options);
    std::cout << numbers.mean_s << ' ' << numbers.filtered_mean_s << ' ' << numbers.outliers << ' '
              << numbers.measurements << ' ' << numbers.spread_s;
    for (int i = 0; i < times; ++i) {
      std::cout << ' ' << seconds_of(method, samples, options);
    }
    std::cout << '\n';
  }
  return 0;
}
