#include "windows.hpp"

#include <algorithm>

namespace adcl::bench {
namespace {

constexpr double shortest_s = 20e-6;
constexpr double room = 2.0;  // length of a window divided by the time of a repetition
constexpr double far_too_long = 8.0;
constexpr double tolerated_share = 0.1;  // largest accepted share of missed windows

}  // namespace

Windows::Windows(double expected_s) : length_s_(std::max(shortest_s, room * expected_s)) {}

void Windows::absorb(int tried, int missed, double longest_s) {
  if (missed > tolerated_share * tried) {
    length_s_ *= 2.0;
  } else if (missed == 0 && length_s_ > far_too_long * longest_s) {
    length_s_ = std::max(shortest_s, length_s_ / 2.0);
  }
}

}  // namespace adcl::bench
