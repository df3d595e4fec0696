/// \file recorded.hpp
/// Priors of codelets, from recorded measurements in similar settings. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/codelet.hpp"
#include "core/expectation.hpp"
#include "core/machine.hpp"

namespace adcl::codelets {

/// The recorded time of a codelet in a setting.
struct RecordedTime {
  std::size_t row = 0;  ///< row of the function set's table
  int hundredths = 0;   ///< 100 * ln(its time / time of the fastest codelet)
  int first = 1;        ///< time of the first execution, including plan creation, divided by the fastest codelet's time
};

/// A recorded setting.
struct NearSetting {
  double distance = 0.0;
  std::size_t place = 0;  ///< index in the caller's table
};

/// Keeps the six nearest settings, nearest first; among equally distant settings, the earlier settings.
void keep_nearest(std::vector<NearSetting>& settings);

/// Weighted means over settings; nearer settings have larger weights.
class RecordedMeans {
 public:
  explicit RecordedMeans(std::size_t rows) : sums_(rows) {}

  void add(const RecordedTime& time, double distance);
  /// One prior per row; NaN for rows without a recorded time.
  [[nodiscard]] std::vector<Expectation> expectations() const;

 private:
  struct Sums {
    double weight = 0.0;
    double log_time = 0.0;
    double first = 0.0;
  };
  std::vector<Sums> sums_;
};

/// Parses a pair such as "28/167" at the beginning of \p text, and removes it and the text up to and including the next
/// blank.
/// \returns false for "-", which means no time.
bool take_time(std::string_view& text, RecordedTime& time);

/// Additional distance of a setting that was recorded with the MPI library \p recorded instead of \p library, in
/// doublings of the message size. A library is its family and its major version, such as "openmpi4".
double library_distance(std::string_view library, std::string_view recorded);

/// The short name of a machine's MPI library, such as "openmpi4". Empty for families without recorded times.
std::string recorded_name(const Machine& machine);

}  // namespace adcl::codelets
