#include "context.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <regex>

namespace adcl::bench {
namespace {

std::string description() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return text.data();
}

int reduced(int value, MPI_Op op, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, op, comm);
  return value;
}

void count_hosts(Machine& machine, MPI_Comm comm) {
  int rank = 0;
  int rank_on_host = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
  int ranks_on_host = 1;
  MPI_Comm_size(host, &ranks_on_host);
  MPI_Comm_rank(host, &rank_on_host);
  MPI_Comm_free(&host);
  const int cores = std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  machine.hosts = reduced(rank_on_host == 0 ? 1 : 0, MPI_SUM, comm);
  machine.max_ranks_per_host = reduced(ranks_on_host, MPI_MAX, comm);
  machine.min_cores_per_host = simulator ? machine.max_ranks_per_host : reduced(cores, MPI_MIN, comm);
  machine.oversubscribed = reduced(!simulator && ranks_on_host > cores ? 1 : 0, MPI_MAX, comm) != 0;
}

}  // namespace

Library library_of(const std::string& description) {
  constexpr std::array<const char*, 4> known = {"Open MPI", "Intel(R) MPI", "MPICH", "SMPI"};
  const auto* const found = std::find_if(known.begin(), known.end(),
                                         [&](const char* name) { return description.find(name) != std::string::npos; });
  const std::string marker = found != known.end() ? *found : "";
  const std::size_t from = marker.empty() ? 0 : description.find(marker) + marker.size();
  std::smatch version;
  const std::string rest = description.substr(from);
  const bool numbered = std::regex_search(rest, version, std::regex("[0-9]+(\\.[0-9A-Za-z]+)+"));
  const std::string name = marker == "Intel(R) MPI" ? "Intel MPI" : marker.empty() ? "unknown" : marker;
  return {name, numbered ? version.str() : ""};
}

Machine find_machine(MPI_Comm comm) {
  Machine machine;
  machine.library = library_of(description());
  int major = 0;
  int minor = 0;
  MPI_Get_version(&major, &minor);
  machine.mpi_standard = std::to_string(major) + "." + std::to_string(minor);
  MPI_Comm_size(comm, &machine.ranks);
  machine.simulated = simulator;
  count_hosts(machine, comm);
  int* global = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, static_cast<void*>(&global), &known);
  machine.global_clock = simulator || reduced(known != 0 && *global != 0 ? 1 : 0, MPI_MIN, comm) != 0;
  return machine;
}

}  // namespace adcl::bench
