// ranks: 1 3
// The command line: accepted arguments, and the messages for rejected arguments.
#include <mpi.h>

#include <string>
#include <vector>

#include "common/test_verdict.hpp"
#include "options.hpp"

namespace solver3d::test {
using apps::TestVerdict;

namespace {

using Words = std::vector<std::string>;

struct Refused {
  Words words;
  std::string part;  ///< part of the message
};

void check_refused(TestVerdict& verdict) {
  const std::vector<Refused> table{
      {{"--bogus"}, "no option '--bogus'"},
      {{"32x32x32"}, "no option '32x32x32'"},
      {{"--size"}, "--size needs a value"},
      {{"--size", "32x32"}, "such as 64x32x32, not '32x32'"},
      {{"--size", "32x32x32x32"}, "not '32x32x32x32'"},
      {{"--size", "0x4x4"}, "from 1 to"},
      {{"--size", "4x-4x4"}, "from 1 to"},
      {{"--size", "4x4x4 "}, "from 1 to"},
      {{"--size=1048577x1x1"}, "from 1 to 1048576"},
      {{"--size", "2000x2000x2000"}, "2147483647 points"},
      {{"--iterations", "0"}, "whole number from 1"},
      {{"--iterations", "1e3"}, "not '1e3'"},
      {{"--iterations", "99999999999"}, "whole number from 1"},
      {{"--iterations="}, "not ''"},
      {{"--steps", "-1"}, "whole number from 1"},
      {{"--steps", "2", "--iterations", "5"}, "exclude each other"},
      {{"--tolerance", "0"}, "from 1e-14"},
      {{"--tolerance", "nan"}, "from 1e-14"},
      {{"--tolerance", "1"}, "below 1"},
      {{"--exchange", "magic"}, "one of"},
      {{"--exchange", ""}, "one of"},
      {{"--exchange", "fcfs", "--overlap"}, "works with --exchange adcl, not with fcfs"},
      {{"--json", ""}, "name of a file"},
      {{"--quiet=yes"}, "takes no value"},
  };
  for (const Refused& row : table) {
    std::string message;
    try {
      parse_options(row.words);
    } catch (const UsageError& error) {
      message = error.what();
    }
    verdict.expect(message.find(row.part) != std::string::npos && message.find('\n') == std::string::npos,
                   row.words.front() + ": '" + message + "' does not contain '" + row.part + "'");
  }
}

void check_accepted(TestVerdict& verdict) {
  const Options given = parse_options(Words{"--size", "64x32x8", "--iterations=7", "--tolerance", "1e-6",
                                            "--exchange=ordered", "--json", "a=b", "--quiet"});
  verdict.expect(given.size == Extents{64, 32, 8}, "--size");
  verdict.expect(given.iterations == 7 && given.steps == 0, "--iterations");
  verdict.expect(given.tolerance == 1e-6, "--tolerance");
  verdict.expect(given.exchange == "ordered" && !given.overlap, "--exchange");
  verdict.expect(given.json == "a=b" && given.quiet && !given.help, "--json --quiet");

  const Options defaults = parse_options({});
  verdict.expect(defaults.size == Extents{32, 32, 32} && defaults.iterations == 500, "defaults");
  verdict.expect(parse_options(Words{"--steps", "3"}).steps == 3, "--steps");
  verdict.expect(parse_options(Words{"--help"}).help, "--help");
  for (const char* const option : {"--size", "--iterations", "--steps", "--tolerance", "--exchange", "--overlap",
                                   "--json", "--quiet", "--help", "examples:"}) {
    verdict.expect(help_text().find(option) != std::string::npos, std::string("help without ") + option);
  }
}

}  // namespace
}  // namespace solver3d::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  solver3d::test::TestVerdict verdict;
  solver3d::test::check_refused(verdict);
  solver3d::test::check_accepted(verdict);
  const int code = verdict.exit_code();
  MPI_Finalize();
  return code;
}
