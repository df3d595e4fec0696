#include "output/failures.hpp"

#include <mpi.h>

#include <fstream>
#include <iostream>
#include <mutex>
#include <set>

#include "core/text.hpp"
#include "mpi/environment.hpp"

namespace adcl::runtime {
namespace {

constexpr std::size_t most_messages = 20;

struct ShownMessages {
  std::mutex mutex;
  std::set<std::string> messages;
};

bool mpi_runs() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  return initialized != 0 && !mpi::is_finalized();
}

void write(const std::string& destination, const std::string& line) {
  if (destination != "off" && destination != "stderr") {
    std::ofstream file(destination, std::ios::app);
    file << line << std::flush;
    if (file.good()) {
      return;
    }
  }
  std::cerr << line << std::flush;
}

}  // namespace

void show_failure(const std::string& destination, const std::string& message, int code, bool aborts) {
  // Never destroyed: destructors of the application may still call the library.
  static auto& [mutex, messages] = *new ShownMessages();
  const bool running = mpi_runs();
  {
    const std::scoped_lock lock(mutex);
    if (messages.size() < most_messages && messages.insert(message).second) {
      const std::string where = running ? text(" on rank ", mpi::world_rank()) : "";
      write(destination, text("ADCL error", where, ": ", printable(message, true), "\n",
                              messages.size() == most_messages ? "ADCL: further errors are not shown\n" : ""));
    }
  }
  if (aborts && running) {
    MPI_Abort(MPI_COMM_WORLD, code);
  }
}

}  // namespace adcl::runtime
