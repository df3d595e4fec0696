#include <cstdio>

#include "common/program.hpp"
#include "simulation.hpp"

namespace {

using fish_school::Options;
using fish_school::Record;

constexpr const char* help =
    "fish_school: fish that stay together by following the fish they see; distributed by clusters of nearby fish.\n"
    "In each step, processes whose clusters can see each other exchange the fish of these clusters. Message sizes "
    "grow\n"
    "with the number of fish.\n"
    "\n"
    "usage: mpirun -n RANKS fish_school [options]\n"
    "\n"
    "  --fish N         number of fish (default 4096)\n"
    "  --steps N        number of steps (default 50)\n"
    "  --rebalance N    redistribute the clusters every N steps (default 10)\n"
    "  --seed N         seed of the random numbers (default 1)\n"
    "  --pause NS       wait NS nanoseconds for each own fish between the sends and the receives of a step; simulated\n"
    "                   clusters need this time to overlap messages with work (default 0)\n"
    "  --check          also simulate the whole school on one process, and compare the positions\n"
    "  --help           print this text\n"
    "\n"
    "Exit code 0: no fish is lost or duplicated, and with --check all positions are bitwise equal to the positions on\n"
    "one process; 1: otherwise; 2: usage error.\n"
    "\n"
    "example: mpirun -n 4 fish_school --fish 20000 --steps 100\n";

struct CommandLine {
  Options options;
  bool check = false;
  bool help = false;
};

CommandLine parse(const std::vector<std::string>& words) {
  CommandLine line;
  apps::Arguments arguments(words);
  while (arguments.next()) {
    const std::string& option = arguments.option();
    if (option == "--fish") {
      line.options.fish = arguments.number(1, 100000000);
    } else if (option == "--steps") {
      line.options.steps = static_cast<int>(arguments.number(1, 100000000));
    } else if (option == "--rebalance") {
      line.options.rebalance = static_cast<int>(arguments.number(1, 100000000));
    } else if (option == "--seed") {
      line.options.seed = static_cast<std::uint64_t>(arguments.number(0, 1000000000));
    } else if (option == "--pause") {
      line.options.pause = arguments.number(0, 1000000);
    } else if (option == "--check") {
      line.check = arguments.flag();
    } else if (option == "--help" || option == "-h") {
      line.help = arguments.flag();
    } else {
      throw apps::UsageError("there is no option '" + option + "' (fish_school --help lists them)");
    }
  }
  return line;
}

void print(const Options& options, const Record& record) {
  const auto& traffic = record.traffic;
  std::printf("fish school: %lld fish, %d steps, at most %lld fish on a process\n",
              static_cast<long long>(options.fish), options.steps, static_cast<long long>(record.most_fish));
  std::printf("messages: %lld, of %.0f bytes in the mean and at most %lld\n", static_cast<long long>(traffic.messages),
              traffic.messages > 0 ? static_cast<double>(traffic.bytes) / static_cast<double>(traffic.messages) : 0.0,
              static_cast<long long>(traffic.largest));
  std::printf("polarization %.6f, checksum %016llx\n", record.polarization,
              static_cast<unsigned long long>(record.checksum));
  std::printf("Time in seconds = %.6f\n", record.seconds);
}

int run(const std::vector<std::string>& words) {
  const CommandLine line = parse(words);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (line.help) {
    if (rank == 0) {
      std::fputs(help, stdout);
    }
    return apps::correct;
  }
  const Record record = fish_school::simulate(line.options, MPI_COMM_WORLD);
  int good = record.complete ? 1 : 0;
  if (rank == 0) {
    print(line.options, record);
    if (line.check && fish_school::simulate(line.options, MPI_COMM_SELF).checksum != record.checksum) {
      good = 0;
    }
    std::printf("Verification: %s\n", good != 0 ? "successful" : "failed");
    std::fflush(stdout);
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return good != 0 ? apps::correct : apps::wrong;
}

}  // namespace

int main(int argc, char** argv) { return apps::main_of("fish_school", argc, argv, run); }
