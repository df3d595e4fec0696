// Makes the statistical methods available to programs in other languages. Each input line is "METHOD FRACTION
// SAMPLE..."; each output line has the method's results: mean, filtered mean, outliers, measurements, spread.
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "measure/estimator.hpp"

int main() {
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
              << numbers.measurements << ' ' << numbers.spread_s << '\n';
  }
  return 0;
}
