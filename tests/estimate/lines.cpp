// Statistical methods for programs of other languages. Each input line is "METHOD FRACTION SAMPLE...", each output line
// the method's numbers: mean, filtered mean, outliers, measurements, spread. `estimate_lines --times N` adds the processor
// time of one evaluation in seconds, measured N times.
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "measure/estimator.hpp"

namespace {

/// Processor time of one evaluation in seconds, in the mean over at least 5 ms.
double seconds_of(const adcl::measure::Estimator& method, const std::vector<double>& samples,
                  const adcl::OptionValues& options) {
  const std::clock_t begin = std::clock();
  int count = 0;
  while (std::clock() - begin < CLOCKS_PER_SEC / 200) {
    for (int i = 0; i < 8; ++i) {
      method.summarise(samples, options);
    }
    count += 8;
  }
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / count;
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
    const adcl::measure::Numbers numbers = method.summarise(samples, options);
    std::cout << numbers.mean_s << ' ' << numbers.filtered_mean_s << ' ' << numbers.outliers << ' '
              << numbers.measurements << ' ' << numbers.spread_s;
    for (int i = 0; i < times; ++i) {
      std::cout << ' ' << seconds_of(method, samples, options);
    }
    std::cout << '\n';
  }
  return 0;
}
