// Tests the parts of adcl-bench that need no MPI: windows, memory of a process, names of libraries, the command line.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "context.hpp"
#include "options.hpp"
#include "process_memory.hpp"
#include "windows.hpp"

namespace adcl::bench {
namespace {

TEST(Windows, AreLongerThanTheOperation) { EXPECT_GT(Windows(1e-3).length_s(), 1e-3); }

TEST(Windows, HaveAMinimumLength) { EXPECT_GT(Windows(0.0).length_s(), 0.0); }

TEST(Windows, GrowIfManyAreMissed) {
  Windows windows(1e-3);
  const double before = windows.length_s();
  windows.absorb(50, 5, 1e-3);
  EXPECT_EQ(windows.length_s(), before);
  windows.absorb(50, 6, 1e-3);
  EXPECT_EQ(windows.length_s(), 2.0 * before);
}

TEST(Windows, ShrinkIfTooLongAndNoneIsMissed) {
  Windows windows(1.0);
  windows.absorb(10, 1, 1e-4);
  EXPECT_EQ(windows.length_s(), 2.0);
  windows.absorb(10, 0, 1e-4);
  EXPECT_EQ(windows.length_s(), 1.0);
  windows.absorb(10, 0, 0.5);
  EXPECT_EQ(windows.length_s(), 1.0);
}

TEST(MemoryOf, AddsTheMappings) {
  std::istringstream smaps(
      "55d0-55d1 r--p 00000000 fe:00 1 /bin/x\nSize:     8 kB\nRss:   8 kB\nPss:        3 kB\nPss_Dirty:  9 kB\n"
      "7ffc-7ffd rw-p 00000000 00:00 0 [stack]\nPss:      132 kB\nSwapPss:    7 kB\n");
  const auto memory = memory_of(smaps);
  ASSERT_TRUE(memory.has_value());
  EXPECT_EQ(memory->share_bytes, 135 * 1024);
  EXPECT_EQ(memory->resident_bytes, 8 * 1024);
}

TEST(MemoryOf, IsEmptyWithoutValidNumbers) {
  std::istringstream smaps("Rss: 8 kB\nPss: many\n");
  EXPECT_FALSE(memory_of(smaps).has_value());
}

TEST(ProcessMemory, GrowsWithTheProcess) {
  const auto before = process_memory();
  ASSERT_TRUE(before.has_value());
  const std::vector<char> memory(std::size_t{64} << 20, 'x');
  const auto after = process_memory();
  ASSERT_TRUE(after.has_value());
  EXPECT_GT(after->share_bytes - before->share_bytes, std::int64_t{60} << 20);
  EXPECT_GT(after->resident_bytes - before->resident_bytes, std::int64_t{60} << 20);
  EXPECT_EQ(memory.back(), 'x');
}

TEST(LibraryOf, RecognizesLibraries) {
  const auto check = [](const std::string& text, const std::string& name, const std::string& version) {
    const Library library = library_of(text);
    EXPECT_EQ(library.name, name) << text;
    EXPECT_EQ(library.version, version) << text;
  };
  check("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022", "Open MPI", "4.1.4");
  check("MPICH Version:      4.0.2\nMPICH Release date: Thu Apr  7 12:34:45 CDT 2022", "MPICH", "4.0.2");
  check("Intel(R) MPI Library 2021.18 for Linux* OS\n", "Intel MPI", "2021.18");
  check("something else", "unknown", "");
}

const Functions& rows() {
  static const Functions table = {{"Bcast", Measured::time, "log p", "", 1},
                                  {"Allreduce", Measured::time, "log p", "", 8},
                                  {"Ibcast", Measured::time, "log p", "", 1, false, nullptr, true},
                                  {"Comm_dup", Measured::heap, "1", ""}};
  return table;
}

Options parsed(const std::vector<std::string>& arguments) { return parse_options(arguments, rows()); }

std::string error_message(const std::vector<std::string>& arguments) {
  try {
    parsed(arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

using Names = std::vector<std::string>;

TEST(Arguments, SelectFunctionsByNameAndGroup) {
  EXPECT_EQ(parsed({}).functions, (Names{"Bcast", "Allreduce"}));
  EXPECT_EQ(parsed({"--functions", "memory,Bcast"}).functions, (Names{"Comm_dup", "Bcast"}));
  EXPECT_EQ(parsed({"--functions", "nonblocking"}).functions, (Names{"Ibcast"}));
  EXPECT_EQ(parsed({"--functions=all"}).functions, (Names{"Bcast", "Allreduce", "Ibcast", "Comm_dup"}));
  EXPECT_TRUE(parsed({"--codelets", "neighborhood"}).functions.empty());
}

TEST(Arguments, AreReadAsWritten) {
  const Options options = parsed({"--bytes", "8,1024", "--repetitions=7", "--start", "barrier", "--label", "a=b=c"});
  EXPECT_EQ(options.bytes, (std::vector<std::size_t>{8, 1024}));
  EXPECT_EQ(options.repetitions, 7);
  EXPECT_EQ(options.start, Start::barrier);
  ASSERT_EQ(options.labels.size(), 1U);
  EXPECT_EQ(options.labels.front().first, "a");
  EXPECT_EQ(options.labels.front().second, "b=c");
}

TEST(Arguments, AreNamedIfInvalid) {
  EXPECT_NE(error_message({"--functions", "Bcats"}).find("did you mean Bcast?"), std::string::npos);
  EXPECT_NE(error_message({"--bytes", "8,,9"}).find("'8,,9'"), std::string::npos);
  EXPECT_NE(error_message({"--bytes", "12"}).find("--bytes 12: Allreduce takes a multiple of 8"), std::string::npos);
  EXPECT_EQ(error_message({"--bytes", "12", "--functions", "Bcast"}), "");
  EXPECT_NE(error_message({"--repetitions", "0"}).find("from 1 to"), std::string::npos);
  EXPECT_NE(error_message({"--repetitions"}).find("needs a value"), std::string::npos);
  EXPECT_NE(error_message({"--start", "now"}).find("window or barrier"), std::string::npos);
  EXPECT_NE(error_message({"--oversubscribed=1"}).find("takes no value"), std::string::npos);
  EXPECT_NE(error_message({"--label", "=x"}).find("NAME=VALUE"), std::string::npos);
  EXPECT_NE(error_message({"--bogus"}).find("'--bogus'"), std::string::npos);
}

}  // namespace
}  // namespace adcl::bench
