/// \file expected.hpp
/// The expected contents of the profiler's file of this rank.
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
  /// Minimum seconds in calls of a kind.
  void at_least(const std::string& kind, double seconds) { seconds_[kind] = seconds; }

  /// Deletes a file of an earlier run. Call it before MPI_Finalize.
  void prepare();
  /// Returns 0 if the file has the expected contents, or is absent and cannot exist. Call it after MPI_Finalize.
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
