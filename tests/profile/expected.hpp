/// \file expected.hpp
/// What the profiler's file of this rank must say.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace adcl::test {

class Expected {
 public:
  void call(const std::string& name, std::uint64_t count = 1) { calls_[name] += count; }
  void message(std::uint64_t bytes) { sizes_.push_back(bytes); }
  /// At least so many seconds in calls of a kind.
  void at_least(const std::string& kind, double seconds) { seconds_[kind] = seconds; }

  /// To be called before MPI_Finalize: a file of an earlier run must not be taken for this one's.
  void prepare();
  /// To be called after MPI_Finalize; 0 when the file says what is expected, or when there is none and none can be.
  [[nodiscard]] int compare() const;

 private:
  std::map<std::string, std::uint64_t> calls_;
  std::vector<std::uint64_t> sizes_;
  std::map<std::string, double> seconds_;
  std::string path_;
  int rank_ = 0;
  int ranks_ = 0;
};

}  // namespace adcl::test
