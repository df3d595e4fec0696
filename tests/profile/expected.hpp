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
  /// Expects at least \p seconds in calls of a kind.
  void at_least(const std::string& kind, double seconds) { seconds_[kind] = seconds; }

  /// Call before MPI_Finalize: removes a file that an earlier run may have left.
  void prepare();
  /// Call after MPI_Finalize. Returns 0 if the file has the expected contents, or if there is no file and none can be
  /// written.
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
