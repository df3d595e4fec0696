/// \file recorded.hpp
/// What codelets are expected to take, from what was recorded of them in settings that are like the one at hand. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/codelet.hpp"
#include "core/expectation.hpp"
#include "core/machine.hpp"

namespace adcl::codelets {

/// What a setting says of a codelet.
struct RecordedTime {
  std::size_t row = 0;  ///< of the function set's table
  int hundredths = 0;   ///< 100 times the logarithm of its time over the fastest one's
  int first = 1;        ///< what its first execution took with the making of its plan, over the fastest one's time
};

/// A recorded setting.
struct NearSetting {
  double distance = 0.0;
  std::size_t place = 0;  ///< in the caller's table
};

/// The nearest six, the nearest one first; of those that are equally far away, those that came first.
void keep_nearest(std::vector<NearSetting>& settings);

/// Means over settings, the nearer ones counting more.
class RecordedMeans {
 public:
  explicit RecordedMeans(std::size_t rows) : sums_(rows) {}

  void add(const RecordedTime& time, double distance);
  /// Of each row; nothing of those of which nothing was added.
  [[nodiscard]] std::vector<Expectation> expectations() const;

 private:
  struct Sums {
    double weight = 0.0;
    double log_time = 0.0;
    double first = 0.0;
  };
  std::vector<Sums> sums_;
};

/// Reads "28/167" from the beginning of \p text, and what follows it up to the next blank and that blank off it. "-" is
/// no time: \returns false.
bool take_time(std::string_view& text, RecordedTime& time);

/// How much farther away it makes a setting that it was recorded with the MPI library \p recorded and not with
/// \p library, in doublings of the size of a message. A library is its family and its major version, as in "openmpi4".
double library_distance(std::string_view library, std::string_view recorded);

/// The name of the MPI library of a machine: "openmpi4". Of families that nothing was recorded of it is empty.
std::string recorded_name(const Machine& machine);

}  // namespace adcl::codelets
