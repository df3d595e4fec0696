// large: 2 3
// timeout: 3600
// not smpi: it stores the bytes of a message in an int
// One message of more than 2^31 bytes, as characters (the number of elements also exceeds int) and as doubles: a
// face in the middle of a 3-D array. Takes 9 GB of memory.
#include <sys/mman.h>

#include <cstdio>
#include <cstring>

#include "codelets/sets.hpp"
#include "core/error.hpp"
#include "mpi/check.hpp"
#include "support/exchange.hpp"

namespace adcl::test {
namespace {

constexpr std::int64_t n_rows = 46400;
constexpr std::int64_t row_bytes = 46400;  // n_rows * row_bytes is a little more than 2^31

/// Memory whose pages are allocated at the first write; unwritten pages stay zero.
class Memory {
 public:
  explicit Memory(std::size_t bytes)
      : bytes_(bytes),
        address_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    require(address_ != MAP_FAILED, Code::memory, "no memory for ", bytes, " bytes");
  }
  ~Memory() { munmap(address_, bytes_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  [[nodiscard]] std::byte* row(std::int64_t number, std::int64_t layer) const {
    return static_cast<std::byte*>(address_) + (number * 2 + layer) * row_bytes;
  }
  [[nodiscard]] void* address() const { return address_; }

 private:
  std::size_t bytes_;
  void* address_;
};

/// Every row is a section of the same long pattern, at its own offset.
const std::byte* expected_row(std::int64_t number) {
  static const std::vector<std::byte> pattern = [] {
    std::vector<std::byte> bytes(static_cast<std::size_t>(row_bytes) + 4099);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::byte>(mixed(i) | 1U);
    }
    return bytes;
  }();
  return pattern.data() + number % 4099;
}

/// Rank 1 is the right neighbor of rank 0 along the second dimension; other ranks have no neighbors.
TopologyModel two_of(int size) {
  TopologyModel topology;
  topology.kind = Kind::generic;
  topology.size = size;
  topology.ndims = 3;
  topology.left.assign(static_cast<std::size_t>(size), {-1, -1, -1});
  topology.right = topology.left;
  topology.right[0][1] = 1;
  topology.left[1][1] = 0;
  return topology;
}

void set_problem(HaloProblem& problem, Topology& topology, const mpi::Element& element) {
  problem.neighborhood = topology.neighborhood();
  HaloArray array{{{1, 2, 1}, false}, {{0, 1, 0}, {0, 0, 0}}, &element};
  if (topology.rank() < 2) {
    array.grid.dims = {static_cast<int>(n_rows), 2, static_cast<int>(row_bytes / element.extent_bytes())};
  }
  problem.fields = {{array, array, true}};
  build_halo(problem);
  mpi::Context& context = topology.context();
  problem.tag_base = context.take_tags(problem.tag_span);
  problem.topology_id = topology.id();
  problem.request_id = context.next_id();
}

/// Checks that the halo of rank 1 is the block of rank 0, and that nothing else has changed.
void verify(Suite& suite, const std::string& codelet, const Memory& array) {
  for (std::int64_t number = 0; number < n_rows && suite.rank() < 2; ++number) {
    const bool has_data[2] = {suite.rank() == 1, suite.rank() == 0};
    for (std::int64_t layer = 0; layer < 2; ++layer) {
      const std::byte* row = array.row(number, layer);
      const bool right =
          has_data[layer]
              ? std::memcmp(row, expected_row(number), static_cast<std::size_t>(row_bytes)) == 0
              : row[0] == std::byte{0} && std::memcmp(row, row + 1, static_cast<std::size_t>(row_bytes) - 1) == 0;
      if (!right) {
        suite.fail(text(codelet, ": row ", number, " of layer ", layer, " of the large array is wrong"));
        return;
      }
    }
  }
  suite.exchanged();
}

void one_codelet(Suite& suite, Topology& topology, const HaloProblem& problem, const Codelet& codelet) {
  suite.step(text(codelet.name, ": large array"));
  const std::string reason = codelet.algorithm.applicable(problem).value_or("");
  int refused = reason.empty() ? 0 : 1;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &refused, 1, MPI_INT, MPI_MAX, topology.comm()), "MPI_Allreduce");
  suite.count_codelet(codelet.name, refused == 0 ? "" : reason + "(or on another rank)");
  if (refused != 0) {
    return;
  }
  const Memory array(static_cast<std::size_t>(suite.rank() < 2 ? 2 * n_rows * row_bytes : 64));
  for (std::int64_t number = 0; number < n_rows && suite.rank() == 0; ++number) {
    std::memcpy(array.row(number, 1), expected_row(number), static_cast<std::size_t>(row_bytes));
  }
  const double begin_s = MPI_Wtime();
  const FieldBuffers field{array.address(), array.address()};
  const Buffers buffers(&field, 1);
  codelet.algorithm.plan(problem, topology.context(), buffers)->run(buffers);
  if (suite.rank() == 1) {
    std::printf("%s: %.1f s\n", codelet.name.c_str(), MPI_Wtime() - begin_s);
  }
  suite.step(text(codelet.name, ": comparing the large array"));
  verify(suite, codelet.name, array);
}

void every_codelet(Suite& suite, MPI_Datatype type) {
  Topology topology(two_of(suite.size()), MPI_COMM_WORLD);
  const mpi::Element element(type, 0);
  HaloProblem problem;
  set_problem(problem, topology, element);
  for (const Codelet& codelet : codelets::neighborhood().codelets) {
    if (suite.wants_codelet(codelet.name)) {
      one_codelet(suite, topology, problem, codelet);
    }
  }
  topology.context().give_back_tags(problem.tag_base, problem.tag_span);
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  using namespace adcl::test;
  return run_suite(argc, argv, [](Suite& suite) {
    suite.be_patient(600);
    every_codelet(suite, MPI_CHAR);
    every_codelet(suite, MPI_DOUBLE);
  });
}
