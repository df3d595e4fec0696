// Random collective calls, each compared with the same call of the MPI library (PMPI_). The program is compiled without
// ADCL. Datatypes, counts and addresses differ between ranks and calls as far as MPI allows.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "library_checks.hpp"
#include "report_check.hpp"

namespace {

using Bytes = std::vector<unsigned char>;

constexpr int margin = 64;  // bytes before the address, because datatypes may begin before it
int failures = 0;

/// How a block of ints lies in memory. All layouts of n ints have the same type signature.
struct Layout {
  MPI_Datatype type = MPI_INT;
  int count = 0;  // per block
  bool owned = false;
};

MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

Layout random_layout(int n, std::mt19937& random) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  switch (n == 0 ? 0 : random() % 7) {
    case 1:
      MPI_Type_contiguous(n, MPI_INT, &type);
      return {committed(type), 1, true};
    case 2:
      MPI_Type_vector(n, 1, 2, MPI_INT, &type);
      return {committed(type), 1, true};
    case 3: {  // as large as its data, but in reverse order
      std::vector<int> lengths(static_cast<std::size_t>(n), 1);
      std::vector<int> places;
      for (int i = n; i > 0; --i) {
        places.push_back(i - 1);
      }
      MPI_Type_indexed(n, lengths.data(), places.data(), MPI_INT, &type);
      return {committed(type), 1, true};
    }
    case 4:  // begins before its address
      MPI_Type_create_resized(MPI_INT, -4, 12, &type);
      return {committed(type), n, true};
    case 5:
      MPI_Type_dup(MPI_INT, &type);
      return {committed(type), n, true};
#if MPI_VERSION >= 4
    case 6:  // MPI does not allow MPI_Type_get_envelope for it
      MPI_Type_contiguous_c(n, MPI_INT, &type);
      return {committed(type), 1, true};
#endif
    default:
      return {MPI_INT, n, false};
  }
}

void release(Layout& layout) {
  if (layout.owned) {
    MPI_Type_free(&layout.type);
  }
}

/// Memory for blocks of a layout, with random contents.
Bytes memory_for(const Layout& layout, int blocks, std::mt19937& random) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(layout.type, &lower, &extent);
  Bytes bytes(static_cast<std::size_t>(extent * layout.count * blocks) + 2 * margin + 64);
  for (unsigned char& byte : bytes) {
    byte = static_cast<unsigned char>(random());
  }
  return bytes;
}

/// Makes the numbers so small that their sum does not overflow. Open MPI's vector instructions saturate a sum of 8 or
/// 16 bits, its other code wraps, so the result of an overflow depends on the order and on the parts of the array.
void limit(Bytes& bytes) {
  for (unsigned char& byte : bytes) {
    byte &= 0x0fU;
  }
}

/// An array of a call: an address, or MPI_BOTTOM with a datatype that contains the address.
struct Argument {
  void* address;
  Layout layout;
  bool owned = false;
};

Argument argument(void* address, const Layout& layout, bool absolute) {
  Argument result{address, layout};
  if (absolute && address != MPI_IN_PLACE) {
    MPI_Aint place = 0;
    MPI_Get_address(address, &place);
    MPI_Type_create_hindexed_block(1, 1, &place, layout.type, &result.layout.type);
    result.layout.type = committed(result.layout.type);
    result.layout.owned = true;
    result.address = MPI_BOTTOM;
    result.owned = true;
  }
  return result;
}

void release(Argument& one) {
  if (one.owned) {
    release(one.layout);
  }
}

struct Problem {
  int operation = 0;
  int comm = 0;
  int root = 0;
  int n = 0;
  int op = 0;
};

struct Rank {
  int rank = 0;
  int size = 1;
};

void expect(bool good, const Problem& problem, const char* what, int rank) {
  if (!good && ++failures < 10) {
    std::fprintf(stderr, "rank %d: operation %d, communicator %d, root %d, n %d, op %d: %s\n", rank, problem.operation,
                 problem.comm, problem.root, problem.n, problem.op, what);
  }
}

void noncommutative(void* in, void* inout, int* length, MPI_Datatype* /*type*/) {
  const auto* left = static_cast<const int*>(in);
  auto* right = static_cast<int*>(inout);
  for (int i = 0; i < *length; ++i) {
    right[i] = left[i] * 3 + right[i];
  }
}
MPI_Op user_op = MPI_OP_NULL;

MPI_Op op_of(int number) {
  const MPI_Op all[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BXOR, MPI_LOR, MPI_PROD, user_op};
  return all[number];
}
MPI_Datatype number_type(int number) {
  const MPI_Datatype all[] = {MPI_INT, MPI_UNSIGNED, MPI_LONG_LONG, MPI_UNSIGNED_SHORT, MPI_SIGNED_CHAR, MPI_FLOAT};
  return all[number];
}

enum {
  bcast,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce,
  allreduce,
  reduce_scatter_block,
  scan,
  exscan,
  reduce_scatter,
  operations
};

/// The counts of MPI_Reduce_scatter: all equal, or rank 0 receives one more, for which memory_for has room. The same on
/// all ranks.
std::vector<int> counts_to_scatter(const Problem& p, int ranks, bool equal) {
  std::vector<int> counts(static_cast<std::size_t>(ranks), p.n);
  counts[0] += equal ? 0 : 1;
  return counts;
}

/// Runs the call with the MPI_ or the PMPI_ functions.
template <bool native>
int call(const Problem& p, const Argument& from, const Argument& into, MPI_Datatype numbers, MPI_Comm comm,
         const std::vector<int>& counts) {
  const void* const send = from.address;
  void* const receive = into.address;
  const Layout& s = from.layout;
  const Layout& r = into.layout;
#define CALL(name, ...) (native ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
  switch (p.operation) {
    case bcast:
      return CALL(Bcast, receive, r.count, r.type, p.root, comm);
    case gather:
      return CALL(Gather, send, s.count, s.type, receive, r.count, r.type, p.root, comm);
    case scatter:
      return CALL(Scatter, send, s.count, s.type, receive, r.count, r.type, p.root, comm);
    case allgather:
      return CALL(Allgather, send, s.count, s.type, receive, r.count, r.type, comm);
    case alltoall:
      return CALL(Alltoall, send, s.count, s.type, receive, r.count, r.type, comm);
    case reduce:
      return CALL(Reduce, send, receive, p.n, numbers, op_of(p.op), p.root, comm);
    case allreduce:
      return CALL(Allreduce, send, receive, p.n, numbers, op_of(p.op), comm);
    case scan:
      return CALL(Scan, send, receive, p.n, numbers, op_of(p.op), comm);
    case exscan:
      return CALL(Exscan, send, receive, p.n, numbers, op_of(p.op), comm);
    case reduce_scatter:
      return CALL(Reduce_scatter, send, receive, counts.data(), numbers, op_of(p.op), comm);
    default:
      return CALL(Reduce_scatter_block, send, receive, p.n, numbers, op_of(p.op), comm);
  }
#undef CALL
}

/// One call of a problem, with this rank's layouts. \p common draws the same numbers on all ranks.
void run(const Problem& p, MPI_Comm comm, Rank at, std::mt19937& common, std::mt19937& own) {
  const bool is_root = at.rank == p.root;
  const bool reduces = p.operation >= reduce;
  const bool rooted = p.operation == gather || p.operation == scatter || p.operation == reduce;
  const bool all_in_place = common() % 4 == 0;
  // MPICH 4.0 reads at the address MPI_IN_PLACE in some calls of MPI_Reduce with 1000 numbers, also without the
  // interposer.
#ifdef MPICH_NUMVERSION
  const bool is_reliable = p.operation != reduce || MPICH_NUMVERSION >= 40100000;
#else
  const bool is_reliable = true;
#endif
  const bool in_place = p.operation != bcast && is_reliable && (rooted ? is_root && own() % 3 == 0 : all_in_place);
  MPI_Datatype numbers = op_of(p.op) == user_op ? MPI_INT : number_type((p.n + p.root) % 6);
  if (numbers == MPI_FLOAT && p.op > 2 && p.op != 6) {
    numbers = MPI_INT;
  }
  Layout s = reduces ? Layout{numbers, p.n, false} : random_layout(p.n, own);
  Layout r = reduces ? Layout{numbers, p.n, false} : random_layout(p.n, own);
  const bool scatters = p.operation == reduce_scatter_block || p.operation == reduce_scatter;
  const bool one_sent = p.operation != scatter && p.operation != alltoall && !scatters;
  const bool all_received =
      p.operation == gather || p.operation == allgather || p.operation == alltoall || (scatters && in_place);
  const auto counts = counts_to_scatter(p, at.size, common() % 4 > 0);
  Bytes sent = memory_for(s, one_sent ? 1 : at.size, own);
  Bytes before = memory_for(r, all_received ? at.size : 1, own);
  if (reduces && op_of(p.op) == MPI_SUM && (numbers == MPI_SIGNED_CHAR || numbers == MPI_UNSIGNED_SHORT)) {
    limit(sent);
    limit(before);
  }
  Bytes tried = before;
  Bytes expected = before;
  Bytes send = sent;
  const bool absolute_send = !reduces && own() % 8 == 0;
  static const bool gathers = !gather_to_bottom_crashes();
  const bool absolute_receive = !reduces && own() % 8 == 0 && (gathers || p.operation != gather);
  Argument from = argument(in_place && p.operation != scatter ? MPI_IN_PLACE : send.data() + margin, s, absolute_send);
  const bool into_place = in_place && p.operation == scatter;
  Argument into = argument(into_place ? MPI_IN_PLACE : tried.data() + margin, r, absolute_receive);
  Argument reference = argument(into_place ? MPI_IN_PLACE : expected.data() + margin, r, absolute_receive);
  const int code = call<false>(p, from, into, numbers, comm, counts);
  expect(send == sent, p, "the data to send were changed", at.rank);
  const int other = call<true>(p, from, reference, numbers, comm, counts);
  expect(code == MPI_SUCCESS && other == MPI_SUCCESS, p, "a call has failed", at.rank);
  expect(tried == expected, p, "the results differ", at.rank);
  release(from);
  release(into);
  release(reference);
  release(s);
  release(r);
}

double seconds_of_test() {
  const char* const given = std::getenv("ADCL_TEST_SECONDS");
  return given != nullptr ? std::atof(given) : 5.0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Op_create(noncommutative, 0, &user_op);
  Rank world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  std::vector<MPI_Comm> comms = {MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_SELF};
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world.rank, &comms[1]);              // in reverse order
  MPI_Comm_split(MPI_COMM_WORLD, world.rank % 2, world.rank, &comms[2]);  // two halves
  std::mt19937 common(4711);
  std::mt19937 own(static_cast<unsigned>(815 + world.rank));
  std::vector<Problem> problems;
  constexpr int number = 48;
  constexpr long fewest_calls = 1024;  // enough for searches to begin, however slow the machine is
  for (int i = 0; i < number; ++i) {
    const int sizes[] = {0, 1, 3, 16, 257, 4096, 20000};
    problems.push_back({i % operations, static_cast<int>(common() % 4), static_cast<int>(common() % 4),
                        sizes[common() % 7], static_cast<int>(common() % 8)});
  }
  const double end_s = MPI_Wtime() + seconds_of_test();
  long calls = 0;
  for (int more = 1; more != 0;) {
    for (int i = 0; i < 64; ++i) {
      Problem p = problems[common() % (problems.size() / 8 * (1 + (static_cast<unsigned>(calls) / 2048) % 8))];
      MPI_Comm comm = comms[static_cast<std::size_t>(p.comm)];
      Rank at;
      MPI_Comm_rank(comm, &at.rank);
      MPI_Comm_size(comm, &at.size);
      p.root %= at.size;
      std::mt19937 shared(common());
      run(p, comm, at, shared, own);
      ++calls;
    }
    if (world.rank == 0) {
      more = MPI_Wtime() < end_s || calls < fewest_calls ? 1 : 0;
    }
    PMPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  PMPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&comms[1]);
  MPI_Comm_free(&comms[2]);
  MPI_Op_free(&user_op);
  MPI_Finalize();
  if (world.rank == 0 && world.size > 1) {
    failures += report_lacks_searches();
  }
  if (world.rank == 0) {
    std::printf("%ld calls, %d failures\n", calls, failures);
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
