// ranks: 2 3
// not smpi: its processes are threads of one process, which would share the handler of the signal below
// A receiver that is interrupted for a long time while it copies data from shared memory gets only the data of one
// operation, and no data of a later operation, although the sender receives no other message from it.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>

#include "codelets/sets.hpp"
#include "core/error.hpp"
#include "support/exchange.hpp"

namespace adcl::test {
namespace {

constexpr int points = 1 << 16;  // points of the halo, and of the interior
constexpr int operations = 12;
constexpr useconds_t pause_us = 20000;

std::byte* slow_page = nullptr;
std::size_t page_bytes = 4096;
volatile std::sig_atomic_t pauses = 0;

/// Signal handler: delays the first access to the protected page, then allows it.
void delay_access(int /*signal*/, siginfo_t* about, void* /*context*/) {
  const auto* address = static_cast<std::byte*>(about->si_addr);
  if (slow_page == nullptr || address < slow_page || address >= slow_page + page_bytes) {
    _exit(11);
  }
  usleep(pause_us);
  pauses = pauses + 1;
  mprotect(slow_page, page_bytes, PROT_READ | PROT_WRITE);
}

/// A halo followed by the interior. A page in the middle of the halo can be protected against access.
class Block {
 public:
  Block() : address_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    require(address_ != MAP_FAILED, Code::memory, "no memory for the test");
    page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    slow_page = static_cast<std::byte*>(address_) + points / 2 * sizeof(double) / page_bytes * page_bytes;
  }
  ~Block() { munmap(address_, bytes); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  [[nodiscard]] double* data() const { return static_cast<double*>(address_); }
  static void close() { mprotect(slow_page, page_bytes, PROT_NONE); }
  static void open() { mprotect(slow_page, page_bytes, PROT_READ | PROT_WRITE); }

 private:
  static constexpr std::size_t bytes = 2 * points * sizeof(double);
  void* address_;
};

/// Each rank sends to the next rank only.
TopologyModel chain(int size) {
  TopologyModel topology;
  topology.kind = Kind::generic;
  topology.size = size;
  topology.ndims = 1;
  topology.flow = Flow::left_to_right;
  for (int rank = 0; rank < size; ++rank) {
    topology.left.push_back({rank - 1});
    topology.right.push_back({rank + 1 < size ? rank + 1 : -1});
  }
  return topology;
}

void one_codelet(Suite& suite, Topology& topology, const HaloProblem& problem, const Codelet& codelet) {
  const Block block;
  double* const array = block.data();
  const FieldBuffers field{array, array};
  const Buffers buffers(&field, 1);
  const int rank = topology.rank();
  suite.step(codelet.name + ": making the plan");
  const PlanPointer plan = codelet.algorithm.plan(problem, topology.context(), buffers);
  pauses = 0;
  for (int operation = 1; operation <= operations; ++operation) {
    suite.step(text(codelet.name, ": operation ", operation));
    std::fill_n(array + points, points, 1000.0 * rank + operation);
    if (rank > 0) {
      Block::close();
    }
    plan->start(buffers);
    plan->wait();
    Block::open();
    int wrong = 0;
    for (int i = 0; i < points && rank > 0; ++i) {
      wrong += array[i] != 1000.0 * (rank - 1) + operation ? 1 : 0;
    }
    suite.expect(wrong == 0, text(codelet.name, ": ", wrong, " wrong points in operation ", operation));
    suite.exchanged();
  }
  suite.expect(pauses == (rank > 0 ? operations : 0), text(codelet.name, ": interrupted ", pauses, " times"));
}

void every_codelet(Suite& suite) {
  struct sigaction action {};
  action.sa_sigaction = delay_access;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  Topology topology(chain(suite.size()), MPI_COMM_WORLD);
  const mpi::Element element(MPI_DOUBLE, 0);
  const HaloArray array{{{2 * points}, false}, {{points}, {0}}, &element};
  HaloProblem problem;
  problem.neighborhood = topology.neighborhood();
  problem.fields = {{array, array, true}};
  build_halo(problem);
  problem.tag_base = topology.context().take_tags(problem.tag_span);
  problem.topology_id = topology.id();
  problem.request_id = topology.context().next_id();
  for (const Codelet& codelet : codelets::neighborhood().codelets) {
    if (codelet.name == "Shm_window" || codelet.name == "Shm_joined") {
      one_codelet(suite, topology, problem, codelet);
    }
  }
  topology.context().give_back_tags(problem.tag_base, problem.tag_span);
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) { adcl::test::every_codelet(suite); });
}
