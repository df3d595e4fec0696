// Random calls of the v and w forms and of neighborhood collectives, each compared with the same call of the MPI
// library (PMPI_). The program is compiled without ADCL. The blocks of single pairs of ranks change from call to call;
// datatypes, displacements and addresses differ between ranks and calls.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "report_check.hpp"

namespace {

using Bytes = std::vector<unsigned char>;

int failures = 0;

enum Form {
  alltoallv,
  alltoallw,
  allgatherv,
  gatherv,
  scatterv,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  forms
};

bool is_neighborhood(int form) { return form >= neighbor_allgather; }
bool has_types(int form) { return form == alltoallw || form == neighbor_alltoallw; }

/// MPICH 4.0 loses blocks in directed graphs, the last two communicators: tests/mpi_defects/repeated_neighbors.c.
bool loses_blocks(int form) {
#ifdef MPICH_NUMVERSION
  return form == neighbor_alltoallw && MPICH_NUMVERSION < 50000000;
#else
  return form == forms;
#endif
}

/// A communicator with the ranks that this rank sends to and receives from.
struct Group {
  const char* name = "";
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  bool topology = false;
  bool directions = false;  // Cartesian: MPI libraries differ in how they pair the messages to the same neighbor
  std::vector<int> destinations;
  std::vector<int> sources;
};

/// The layout of all blocks of one side. In a list of the w form, each block has its own datatype.
struct Side {
  std::vector<int> counts;
  std::vector<int> displacements;  // in entries, or in bytes for the w form
  std::vector<MPI_Aint> places;    // in bytes, for MPI_Neighbor_alltoallw
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Datatype> owned;
  MPI_Datatype type = MPI_INT;
  Bytes memory;
  std::size_t base = 0;
  bool absolute = false;

  void release() {
    for (MPI_Datatype& each : owned) {
      MPI_Type_free(&each);
    }
  }
  void* address(Bytes& bytes) const { return absolute ? MPI_BOTTOM : bytes.data() + base; }
};

MPI_Datatype keep(MPI_Datatype type, Side& side) {
  MPI_Type_commit(&type);
  side.owned.push_back(type);
  return type;
}

/// A datatype with one int per entry.
MPI_Datatype entry_type(std::mt19937& random, Side& side) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  switch (random() % 5) {
    case 0:
      MPI_Type_create_resized(MPI_INT, -4, 12, &type);
      return keep(type, side);
    case 1:
      MPI_Type_dup(MPI_INT, &type);
      return keep(type, side);
    case 2: {
      const int one = 1;
      const int place = 1;  // begins after its address
      MPI_Type_indexed(1, &one, &place, MPI_INT, &type);
      return keep(type, side);
    }
    default:
      return MPI_INT;
  }
}

/// A datatype with all ints of a block, or MPI_INT.
MPI_Datatype block_type(int n, std::mt19937& random, Side& side, int& count) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  count = 1;
  switch (n > 0 ? random() % 5 : 4) {
    case 0:
#if MPI_VERSION >= 4
      MPI_Type_contiguous_c(n, MPI_INT, &type);
#else
      MPI_Type_contiguous(n, MPI_INT, &type);
#endif
      return keep(type, side);
    case 1:
      MPI_Type_vector(n, 1, 2, MPI_INT, &type);
      return keep(type, side);
    case 2: {
      std::vector<int> lengths(static_cast<std::size_t>(n), 1);
      std::vector<int> places(lengths.size());
      std::iota(places.rbegin(), places.rend(), 0);  // in reverse order
      MPI_Type_indexed(n, lengths.data(), places.data(), MPI_INT, &type);
      return keep(type, side);
    }
    default:
      count = n;
      return entry_type(random, side);
  }
}

/// Lays out blocks of these numbers of ints in random order with gaps, before and behind the base address.
Side layout(const std::vector<int>& sizes, bool own_types, bool consecutive, std::mt19937& random) {
  Side side;
  side.type = own_types ? MPI_INT : entry_type(random, side);
  const std::size_t n = sizes.size();
  side.counts = sizes;
  side.types.assign(n + 1, side.type);
  side.displacements.assign(n + 1, 0);
  side.places.assign(n + 1, 0);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!consecutive) {
    std::shuffle(order.begin(), order.end(), random);
  }
  MPI_Aint end = 64;
  std::vector<MPI_Aint> begins(n + 1, 64);
  for (const std::size_t i : order) {
    if (own_types) {
      side.types[i] = block_type(sizes[i], random, side, side.counts[i]);
    }
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(side.types[i], &lower, &extent);
    const MPI_Aint gap = consecutive ? 0 : static_cast<MPI_Aint>(random() % 3);
    begins[i] = end + gap * (own_types ? 4 : extent);
    end = begins[i] + side.counts[i] * extent + (own_types && lower > 0 ? lower : 0);  // no data overlap
  }
  side.memory.resize(static_cast<std::size_t>(end) + 256);
  for (unsigned char& byte : side.memory) {
    byte = static_cast<unsigned char>(random());
  }
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(side.type, &lower, &extent);
  const MPI_Aint middle = consecutive || n == 0 ? 64 : begins[random() % n];
  side.base = static_cast<std::size_t>(middle);
  for (std::size_t i = 0; i < n; ++i) {
    const MPI_Aint distance = begins[i] - middle;
    side.places[i] = distance;
    side.displacements[i] = static_cast<int>(own_types ? distance : distance / extent);
  }
  side.counts.push_back(0);
  return side;
}

/// Numbers of ints that pairs of ranks exchange. All ranks have the same table and change it in the same way.
class Sizes {
 public:
  explicit Sizes(unsigned seed) : seed_(seed) {}
  /// The number for the \p occurrence-th message from \p from to \p to.
  int of(int from, int to, int occurrence) {
    static constexpr int all[] = {0, 1, 3, 16, 60, 61, 257, 1024, 1025, 4096, 16384, 16385};
    const std::vector<int> pair{from, to, occurrence};
    const unsigned version = versions_[pair];
    std::mt19937 random(seed_ + 7U * static_cast<unsigned>(from) + 131U * static_cast<unsigned>(to) +
                        1009U * static_cast<unsigned>(occurrence) + 70001U * version);
    random.discard(3);
    return all[random() % (seed_ % 3 == 0 ? 12 : 8)];
  }
  void change(int from, int to) {
    for (int occurrence = 0; occurrence < 4; ++occurrence) {
      ++versions_[{from, to, occurrence}];
    }
  }

 private:
  unsigned seed_;
  std::map<std::vector<int>, unsigned> versions_;
};

struct Problem {
  int form = 0;
  std::size_t group = 0;
  int root = 0;
  Sizes sizes{0};
  bool in_place = false;
};

/// Numbers of ints of the blocks that this rank sends or receives.
std::vector<int> sizes_of(Problem& p, const Group& g, bool sent) {
  const bool one_size = p.form == allgatherv || p.form == neighbor_allgatherv;
  const bool equal = p.form == neighbor_allgather || p.form == neighbor_alltoall;
  std::vector<int> peers = sent ? g.destinations : g.sources;
  if (!is_neighborhood(p.form)) {
    peers.resize(static_cast<std::size_t>(g.size));
    std::iota(peers.begin(), peers.end(), 0);
    const bool lists_one = sent ? p.form == gatherv : p.form == scatterv;
    const bool lists_none = g.rank != p.root && (sent ? p.form == scatterv : p.form == gatherv);
    peers = lists_one ? std::vector<int>{p.root} : lists_none ? std::vector<int>{} : peers;
  }
  std::vector<int> sizes;
  std::map<int, int> occurrences;
  for (const int peer : peers) {
    const int from = sent ? g.rank : peer;
    const int to = sent ? peer : g.rank;
    const int occurrence = g.directions ? 0 : occurrences[peer]++;
    const bool symmetric = p.in_place && (p.form == alltoallv || p.form == alltoallw);
    if (equal) {
      sizes.push_back(p.sizes.of(0, 0, 0));
    } else if (peer == MPI_PROC_NULL) {
      sizes.push_back(one_size && sent ? p.sizes.of(g.rank, 0, 0) : 5);
    } else {
      sizes.push_back(one_size    ? p.sizes.of(from, 0, 0)
                      : symmetric ? p.sizes.of(std::min(from, to), std::max(from, to), 0)
                                  : p.sizes.of(from, to, occurrence));
    }
  }
  return sizes;
}

/// Runs the call with the MPI_ or the PMPI_ functions.
template <bool native>
int call(const Problem& p, const Group& g, const void* send, const Side& s, void* receive, const Side& r) {
#define CALL(name, ...) (native ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
  const int sent = s.counts.front();
  const int received = r.counts.front();
  switch (p.form) {
    case alltoallv:
      return CALL(Alltoallv, send, s.counts.data(), s.displacements.data(), s.type, receive, r.counts.data(),
                  r.displacements.data(), r.type, g.comm);
    case alltoallw:
      return CALL(Alltoallw, send, s.counts.data(), s.displacements.data(), s.types.data(), receive, r.counts.data(),
                  r.displacements.data(), r.types.data(), g.comm);
    case allgatherv:
      return CALL(Allgatherv, send, sent, s.type, receive, r.counts.data(), r.displacements.data(), r.type, g.comm);
    case gatherv:
      return CALL(Gatherv, send, sent, s.type, receive, r.counts.data(), r.displacements.data(), r.type, p.root,
                  g.comm);
    case scatterv:
      return CALL(Scatterv, send, s.counts.data(), s.displacements.data(), s.type, receive, received, r.type, p.root,
                  g.comm);
    case neighbor_allgather:
      return CALL(Neighbor_allgather, send, sent, s.type, receive, received, r.type, g.comm);
    case neighbor_allgatherv:
      return CALL(Neighbor_allgatherv, send, sent, s.type, receive, r.counts.data(), r.displacements.data(), r.type,
                  g.comm);
    case neighbor_alltoall:
      return CALL(Neighbor_alltoall, send, sent, s.type, receive, received, r.type, g.comm);
    case neighbor_alltoallv:
      return CALL(Neighbor_alltoallv, send, s.counts.data(), s.displacements.data(), s.type, receive, r.counts.data(),
                  r.displacements.data(), r.type, g.comm);
    default:
      return CALL(Neighbor_alltoallw, send, s.counts.data(), s.places.data(), s.types.data(), receive, r.counts.data(),
                  r.places.data(), r.types.data(), g.comm);
  }
#undef CALL
}

void expect(bool good, const Problem& p, const Group& g, const char* what) {
  if (!good && ++failures < 10) {
    std::fprintf(stderr, "rank %d: form %d, communicator %s, root %d%s: %s\n", g.rank, p.form, g.name, p.root,
                 p.in_place ? ", in place" : "", what);
  }
}

/// Gives the places absolute addresses in \p memory, with MPI_BOTTOM as the buffer.
Side with_absolute(const Side& side, Bytes& memory) {
  Side absolute = side;
  absolute.absolute = true;
  MPI_Aint base = 0;
  MPI_Get_address(memory.data() + side.base, &base);
  for (MPI_Aint& place : absolute.places) {
    place += base;
  }
  return absolute;
}

void run(Problem& p, const Group& g, std::mt19937& own) {
  const bool is_root = g.rank == p.root;
  const bool rooted = p.form == gatherv || p.form == scatterv;
  const bool in_place = p.in_place && !is_neighborhood(p.form) && (!rooted || is_root);
  const auto to_send = sizes_of(p, g, true);
  const auto to_receive = sizes_of(p, g, false);
  const bool one_sent =
      p.form == allgatherv || p.form == gatherv || p.form == neighbor_allgather || p.form == neighbor_allgatherv;
  const std::vector<int> one{p.form == gatherv              ? to_send.front()
                             : p.form == neighbor_allgather ? p.sizes.of(0, 0, 0)
                                                            : p.sizes.of(g.rank, 0, 0)};
  Side s = layout(one_sent ? one : to_send, has_types(p.form), one_sent || p.form == neighbor_alltoall, own);
  Side r = layout(to_receive, has_types(p.form),
                  p.form == scatterv || p.form == neighbor_alltoall || p.form == neighbor_allgather, own);
  if (p.form == neighbor_alltoall) {  // a rank without neighbors also passes a count
    s.counts.front() = p.sizes.of(0, 0, 0);
  }
  if (p.form == neighbor_alltoall || p.form == neighbor_allgather) {
    r.counts.front() = p.sizes.of(0, 0, 0);
  }
  Bytes send = s.memory;
  Bytes tried = r.memory;
  Bytes expected = r.memory;
  const bool absolute = p.form == neighbor_alltoallw && own() % 4 == 0;
  const Side from = absolute ? with_absolute(s, send) : s;
  const Side into = absolute ? with_absolute(r, tried) : r;
  const Side reference = absolute ? with_absolute(r, expected) : r;
  const void* const sent = in_place && p.form != scatterv ? MPI_IN_PLACE : from.address(send);
  const bool stays = in_place && p.form == scatterv;
  const int code = call<false>(p, g, sent, from, stays ? MPI_IN_PLACE : into.address(tried), into);
  expect(send == s.memory, p, g, "the data to send were changed");
  const int other = call<true>(p, g, sent, from, stays ? MPI_IN_PLACE : reference.address(expected), reference);
  expect(code == MPI_SUCCESS && other == MPI_SUCCESS, p, g, "a call has failed");
  expect(tried == expected, p, g, "the results differ");
  s.release();
  r.release();
}

Group group_of(const char* name, MPI_Comm comm) {
  Group group;
  group.name = name;
  group.comm = comm;
  MPI_Comm_rank(comm, &group.rank);
  MPI_Comm_size(comm, &group.size);
  return group;
}

Group cartesian(const char* name, std::vector<int> dims, int periodic) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, static_cast<int>(dims.size()), dims.data());
  const std::vector<int> all(dims.size(), periodic);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(dims.size()), dims.data(), all.data(), 0, &comm);
  Group group = group_of(name, comm);
  group.topology = true;
  group.directions = true;
  for (int i = 0; i < static_cast<int>(dims.size()); ++i) {
    int before = 0;
    int behind = 0;
    MPI_Cart_shift(comm, i, 1, &before, &behind);
    group.destinations.insert(group.destinations.end(), {before, behind});
  }
  group.sources = group.destinations;
  return group;
}

/// A symmetric graph with loops and with edges that occur twice.
Group graph(std::mt19937& common) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<std::vector<int>> neighbors(static_cast<std::size_t>(ranks));
  for (int i = 0; i < 2 * ranks; ++i) {
    const auto a = common() % static_cast<unsigned>(ranks);
    const auto b = common() % static_cast<unsigned>(ranks);
    neighbors[a].push_back(static_cast<int>(b));
    if (a != b) {
      neighbors[b].push_back(static_cast<int>(a));
    }
  }
  std::vector<int> ends;
  std::vector<int> edges;
  for (const auto& of_rank : neighbors) {
    edges.insert(edges.end(), of_rank.begin(), of_rank.end());
    ends.push_back(static_cast<int>(edges.size()));
  }
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, ends.data(), edges.data(), 0, &comm);
  Group group = group_of("graph", comm);
  group.topology = true;
  group.destinations = neighbors[static_cast<std::size_t>(group.rank)];
  group.sources = group.destinations;
  return group;
}

/// A directed graph with loops, repeated edges, and ranks without neighbors.
Group directed(const char* name, unsigned edges, std::mt19937& common) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Group group;
  for (unsigned i = 0; i < edges; ++i) {
    const int from = static_cast<int>(common() % static_cast<unsigned>(ranks));
    const int to = static_cast<int>(common() % static_cast<unsigned>(ranks));
    if (from == rank) {
      group.destinations.push_back(to);
    }
    if (to == rank) {
      group.sources.push_back(from);
    }
  }
  std::mt19937 own(static_cast<unsigned>(rank));
  std::shuffle(group.sources.begin(), group.sources.end(), own);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(group.sources.size()), group.sources.data(),
                                 MPI_UNWEIGHTED, static_cast<int>(group.destinations.size()), group.destinations.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  Group made = group_of(name, comm);
  made.topology = true;
  made.destinations = group.destinations;
  made.sources = group.sources;
  return made;
}

std::vector<Group> groups(std::mt19937& common) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm reverse = MPI_COMM_NULL;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reverse);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  return {group_of("world", MPI_COMM_WORLD),
          group_of("reverse", reverse),
          group_of("half", half),
          cartesian("ring", {0}, 1),
          cartesian("line", {0}, 0),
          cartesian("torus", {0, 0, 1}, 1),
          cartesian("plane", {0, 0}, 0),
          graph(common),
          directed("directed", 3, common),
          directed("dense", 14, common)};
}

double seconds_of_test() {
  const char* const given = std::getenv("ADCL_TEST_SECONDS");
  return given != nullptr ? std::atof(given) : 5.0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* const seed = std::getenv("ADCL_TEST_SEED");
  std::mt19937 common(seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 4711U);
  std::mt19937 own(static_cast<unsigned>(815 + rank));
  std::vector<Group> all = groups(common);
  std::vector<Problem> problems;
  constexpr unsigned number = 60;
  constexpr long fewest_calls = 640;  // enough for searches to begin, however slow the machine is
  for (unsigned i = 0; i < number; ++i) {
    Problem p;
    p.form = static_cast<int>(7 * i) % forms;
    const unsigned plain = 3;
    const unsigned topologies = static_cast<unsigned>(all.size()) - plain - (loses_blocks(p.form) ? 2 : 0);
    p.group = is_neighborhood(p.form) ? plain + common() % topologies : common() % plain;
    p.root = static_cast<int>(common() % static_cast<unsigned>(all[p.group].size));
    MPI_Bcast(&p.root, 1, MPI_INT, 0, MPI_COMM_WORLD);  // the halves may have different sizes
    p.root %= all[p.group].size;
    p.sizes = Sizes(static_cast<unsigned>(common() % 10000));
    problems.push_back(p);
  }
  const double end_s = MPI_Wtime() + seconds_of_test();
  long calls = 0;
  for (int more = 1; more != 0;) {
    for (int i = 0; i < 64; ++i) {
      const std::size_t begun = 5 * (1 + (static_cast<std::size_t>(calls) / 640) % 12);
      Problem& p = problems[common() % begun];
      p.in_place = common() % 4 == 0;
      if (common() % 3 == 0) {
        const int from = static_cast<int>(common() % static_cast<unsigned>(ranks));
        p.sizes.change(from, static_cast<int>(common() % static_cast<unsigned>(ranks)));
      }
      run(p, all[p.group], own);
      ++calls;
    }
    if (rank == 0) {
      more = MPI_Wtime() < end_s || calls < fewest_calls ? 1 : 0;
    }
    PMPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  PMPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (std::size_t i = 1; i < all.size(); ++i) {
    MPI_Comm_free(&all[i].comm);
  }
  MPI_Finalize();
  if (rank == 0 && ranks > 1) {
    failures += report_lacks_searches();
  }
  if (rank == 0) {
    std::printf("%ld calls, %d failures\n", calls, failures);
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
