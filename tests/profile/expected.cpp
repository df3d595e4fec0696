#include "expected.hpp"

#include <mpi.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

namespace adcl::test {
namespace {

using Json = nlohmann::json;
using Sizes = std::vector<std::uint64_t>;

class Comparison {
 public:
  explicit Comparison(int rank) : rank_(rank) {}

  template <typename Value>
  void same(const std::string& what, const Value& found, const Value& wanted) {
    if (!(found == wanted)) {
      fail(what + ": " + Json(found).dump() + " instead of " + Json(wanted).dump());
    }
  }

  void fail(const std::string& what) {
    failed_ = true;
    std::cerr << "rank " + std::to_string(rank_) + ": FAILED: " + what + "\n" << std::flush;
  }

  [[nodiscard]] int code() const { return failed_ ? 1 : 0; }

 private:
  int rank_;
  bool failed_ = false;
};

/// Number of messages, or of their bytes, among the messages of more than `low` and up to `high` bytes.
std::uint64_t count_in(const Sizes& sizes, double low, double high) {
  std::uint64_t count = 0;
  for (const std::uint64_t size : sizes) {
    const auto bytes = static_cast<double>(size);
    count += bytes > low && bytes <= high ? 1U : 0U;
  }
  return count;
}

void compare_messages(Comparison& comparison, const Json& found, const Sizes& sizes) {
  Sizes near_limit;
  std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(near_limit),
               [](std::uint64_t size) { return size >= 1024 && size <= 65536; });
  const auto total = [](const Sizes& of) { return std::accumulate(of.begin(), of.end(), std::uint64_t{0}); };
  const std::map<std::string, std::uint64_t> wanted{
      {"PSC_MPI_MSG_P2P_THR", total(near_limit)},
      {"PSC_MPI_MSG_P2P_TOT", total(sizes)},
      {"count_near_limit", near_limit.size()},
      {"count", sizes.size()},
      {"PSC_MPI_MSG_P2P_2K", count_in(sizes, -1, 2048)},
      {"PSC_MPI_MSG_P2P_4K", count_in(sizes, 2048, 4096)},
      {"PSC_MPI_MSG_P2P_8K", count_in(sizes, 4096, 8192)},
      {"PSC_MPI_MSG_P2P_16K", count_in(sizes, 8192, 16384)},
      {"PSC_MPI_MSG_P2P_32K", count_in(sizes, 16384, 32768)},
      {"PSC_MPI_MSG_P2P_64K", count_in(sizes, 32768, 65536)},
  };
  for (const auto& [name, value] : wanted) {
    comparison.same(name, found.at(name).get<std::uint64_t>(), value);
  }
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  double low = -1;
  for (const Json& one : found.at("sizes")) {
    const auto high = one.at("up_to").get<double>();
    comparison.same("messages up to " + std::to_string(high), one.at("count").get<std::uint64_t>(),
                    count_in(sizes, high > 1 ? high / 2 : low, high));
    messages += one.at("count").get<std::uint64_t>();
    bytes += one.at("bytes").get<std::uint64_t>();
    low = high;
  }
  comparison.same("messages of all sizes", messages, static_cast<std::uint64_t>(sizes.size()));
  comparison.same("bytes of all sizes", bytes, total(sizes));
}

}  // namespace

void Expected::prepare() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  const char* const folder = std::getenv("ADCL_PROFILE");
  path_ = folder == nullptr || *folder == '\0'
              ? ""
              : std::string(folder) + "/adcl-profile." + std::to_string(rank_) + ".json";
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

int Expected::compare() const {
  Comparison comparison(rank_);
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  std::error_code ignored;
  if (path_.empty() || !std::filesystem::is_directory(folder.parent_path(), ignored)) {
    comparison.same("a file that cannot exist", std::filesystem::exists(path_, ignored), false);
    return comparison.code();
  }
  std::ifstream file(path_);
  const Json found = Json::parse(file, nullptr, false);
  if (found.is_discarded()) {
    comparison.fail("no JSON document in '" + path_ + "'");
    return comparison.code();
  }
  comparison.same("schema", found.at("schema").get<int>(), 1);
  comparison.same("rank", found.at("rank").get<int>(), rank_);
  comparison.same("ranks", found.at("ranks").get<int>(), ranks_);
  std::map<std::string, std::uint64_t> calls;
  double seconds = 0.0;
  for (const auto& [name, call] : found.at("calls").items()) {
    calls[name] = call.at("count").get<std::uint64_t>();
    seconds += call.at("seconds").get<double>();
  }
  comparison.same("calls", calls, calls_);
  compare_messages(comparison, found.at("messages"), sizes_);
  double kinds = 0.0;
  for (const auto& [kind, in] : found.at("seconds_in").items()) {
    kinds += in.get<double>();
  }
  comparison.same("the seconds of all kinds add up to the seconds of all calls", std::abs(kinds - seconds) < 1e-6,
                  true);
  for (const auto& [kind, least] : seconds_) {
    const auto in = found.at("seconds_in").at(kind).get<double>();
    if (in < least || in > found.at("seconds").get<double>()) {
      comparison.fail("seconds in " + kind + ": " + std::to_string(in) + ", not between " + std::to_string(least) +
                      " and " + found.at("seconds").dump());
    }
  }
  return comparison.code();
}

}  // namespace adcl::test

// Functions for the Fortran programs.
namespace {
adcl::test::Expected& expected() {
  static adcl::test::Expected one;
  return one;
}
}  // namespace

extern "C" {
void expect_call(const char* name, int count);
void expect_message(int bytes);
void expect_prepare();
int expect_compare();

void expect_call(const char* name, int count) { expected().call(name, static_cast<std::uint64_t>(count)); }
void expect_message(int bytes) { expected().message(static_cast<std::uint64_t>(bytes)); }
void expect_prepare() { expected().prepare(); }
int expect_compare() { return expected().compare(); }
}
