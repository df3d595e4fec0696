// ranks: 1 2 3 4
// timeout: 120
// Every collective of adcl.hpp with random sizes, bit for bit as with the same function of ADCL.h. The numbers are
// integers, so reductions are exact with every codelet.
#include <adcl.hpp>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "support/checks.hpp"

namespace {

using adcl::test::expect;
using adcl::test::ok;
using Values = std::vector<double>;

constexpr int starts = 4;

struct Ranks {
  int rank = 0;
  int size = 1;
  MPI_Comm comm = MPI_COMM_WORLD;
};

/// The arrays of both interfaces. The reference and the tested operation have their own.
struct Pair {
  Values send;
  Values receive;
  Values expected_send;
  Values expected;
};

using Make = std::function<adcl::Request(Values& send, Values& receive)>;
using MakeReference = std::function<int(Values& send, Values& receive, ADCL_Request* request)>;

/// Runs both operations on equal arrays, and compares all elements of both arrays after every start.
void compare(const std::string& name, const Ranks& ranks, std::size_t send, std::size_t receive, const Make& make,
             const MakeReference& make_reference) {
  Pair pair{Values(send), Values(receive), Values(send), Values(receive)};
  adcl::Request request = make(pair.send, pair.receive);
  ADCL_Request reference = ADCL_REQUEST_NULL;
  ok(make_reference(pair.expected_send, pair.expected, &reference), name);
  for (int start = 0; start < starts; ++start) {
    for (std::size_t i = 0; i < send; ++i) {
      pair.send[i] = pair.expected_send[i] = 100.0 * ranks.rank + 10.0 * start + static_cast<double>(i);
    }
    for (std::size_t i = 0; i < receive; ++i) {
      pair.receive[i] = pair.expected[i] = -1.0 - ranks.rank - static_cast<double>(i);
    }
    const bool in_two_parts = name[0] == 'i' && start % 2 == 1;
    if (in_two_parts) {
      request.init();
      request.progress();
      request.wait();
    } else {
      request.start();
    }
    ok(ADCL_Request_start(reference), name);
    expect(pair.receive == pair.expected && pair.send == pair.expected_send,
           name + ", start " + std::to_string(start) + ", codelet " + request.current());
  }
  ok(ADCL_Request_free(&reference), name);
}

template <typename... A>
std::size_t words(A... numbers) {
  return static_cast<std::size_t>((numbers * ...));
}

void rooted(const Ranks& r, int n, int root) {
  const bool mine = r.rank == root;
  const int all = n * r.size;
  const auto bcast = [&](auto function, auto reference) {
    return std::pair<Make, MakeReference>(
        [&r, root, function](Values&, Values& b) { return function(b, root, r.comm); },
        [&r, n, root, reference](Values&, Values& b, ADCL_Request* q) {
          return reference(b.data(), n, MPI_DOUBLE, root, r.comm, q);
        });
  };
  const auto plain = bcast([](Values& b, int at, MPI_Comm c) { return adcl::bcast(b, at, c); }, ADCL_Bcast_init);
  compare("bcast", r, 0, words(n), plain.first, plain.second);
  const auto later = bcast([](Values& b, int at, MPI_Comm c) { return adcl::ibcast(b, at, c); }, ADCL_Ibcast_init);
  compare("ibcast", r, 0, words(n), later.first, later.second);
  compare(
      "gather", r, words(n), mine ? words(all) : 0,
      [&](Values& s, Values& b) { return adcl::gather(s, b, root, r.comm); },
      [&](Values& s, Values& b, ADCL_Request* q) {
        return ADCL_Gather_init(s.data(), n, MPI_DOUBLE, b.data(), n, MPI_DOUBLE, root, r.comm, q);
      });
  compare(
      "scatter", r, mine ? words(all) : 0, words(n),
      [&](Values& s, Values& b) { return adcl::scatter(s, b, root, r.comm); },
      [&](Values& s, Values& b, ADCL_Request* q) {
        return ADCL_Scatter_init(s.data(), n, MPI_DOUBLE, b.data(), n, MPI_DOUBLE, root, r.comm, q);
      });
  for (const bool in_place : {false, true}) {
    compare(
        in_place ? "reduce in place" : "reduce", r, words(n), words(n),
        [&](Values& s, Values& b) {
          return in_place && mine ? adcl::reduce(adcl::in_place, b, MPI_MAX, root, r.comm)
                                  : adcl::reduce(s, b, MPI_MAX, root, r.comm);
        },
        [&](Values& s, Values& b, ADCL_Request* q) {
          return ADCL_Reduce_init(in_place && mine ? MPI_IN_PLACE : s.data(), b.data(), n, MPI_DOUBLE, MPI_MAX, root,
                                  r.comm, q);
        });
  }
  compare(
      "ireduce", r, words(n), words(n),
      [&](Values& s, Values& b) { return adcl::ireduce(s, b, MPI_SUM, root, r.comm); },
      [&](Values& s, Values& b, ADCL_Request* q) {
        return ADCL_Ireduce_init(s.data(), b.data(), n, MPI_DOUBLE, MPI_SUM, root, r.comm, q);
      });
}

/// Rank i has i + n entries, with a gap of one after each block.
void varying(const Ranks& r, int n, int root) {
  adcl::Blocks blocks;
  int total = 0;
  for (int i = 0; i < r.size; ++i) {
    blocks.counts.push_back(i + n);
    blocks.displs.push_back(total);
    total += i + n + 1;
  }
  const int own = r.rank + n;
  const std::size_t mine = r.rank == root ? words(total) : 0;
  const adcl::Blocks at_root = r.rank == root ? blocks : adcl::Blocks();
  compare(
      "gatherv", r, words(own), mine, [&](Values& s, Values& b) { return adcl::gatherv(s, b, at_root, root, r.comm); },
      [&](Values& s, Values& b, ADCL_Request* q) {
        return ADCL_Gatherv_init(s.data(), own, MPI_DOUBLE, b.data(), blocks.counts.data(), blocks.displs.data(),
                                 MPI_DOUBLE, root, r.comm, q);
      });
  compare(
      "scatterv", r, mine, words(own),
      [&](Values& s, Values& b) { return adcl::scatterv(s, at_root, b, root, r.comm); },
      [&](Values& s, Values& b, ADCL_Request* q) {
        return ADCL_Scatterv_init(s.data(), blocks.counts.data(), blocks.displs.data(), MPI_DOUBLE, b.data(), own,
                                  MPI_DOUBLE, root, r.comm, q);
      });
  compare(
      "allgatherv", r, words(own), words(total),
      [&](Values& s, Values& b) { return adcl::allgatherv(s, b, blocks, r.comm); },
      [&](Values& s, Values& b, ADCL_Request* q) {
        return ADCL_Allgatherv_init(s.data(), own, MPI_DOUBLE, b.data(), blocks.counts.data(), blocks.displs.data(),
                                    MPI_DOUBLE, r.comm, q);
      });
  const adcl::Blocks equal = adcl::packed(std::vector<int>(words(r.size), own));  // this rank's number from each rank
  compare(
      "alltoallv", r, words(total), words(own, r.size),
      [&](Values& s, Values& b) { return adcl::alltoallv(s, blocks, b, equal, r.comm); },
      [&](Values& s, Values& b, ADCL_Request* q) {
        return ADCL_Alltoallv_init(s.data(), blocks.counts.data(), blocks.displs.data(), MPI_DOUBLE, b.data(),
                                   equal.counts.data(), equal.displs.data(), MPI_DOUBLE, r.comm, q);
      });
  adcl::TypedBlocks from{.counts = blocks.counts, .displs = {}, .types = {}};
  adcl::TypedBlocks to{.counts = equal.counts, .displs = {}, .types = {}};
  for (std::size_t i = 0; i < words(r.size); ++i) {
    from.displs.push_back(8 * blocks.displs[i]);
    to.displs.push_back(8 * equal.displs[i]);
    from.types.push_back(MPI_DOUBLE);
    to.types.push_back(MPI_DOUBLE);
  }
  compare(
      "alltoallw", r, words(total), words(own, r.size),
      [&](Values& s, Values& b) { return adcl::alltoallw(s.data(), from, b.data(), to, r.comm); },
      [&](Values& s, Values& b, ADCL_Request* q) {
        return ADCL_Alltoallw_init(s.data(), from.counts.data(), from.displs.data(), from.types.data(), b.data(),
                                   to.counts.data(), to.displs.data(), to.types.data(), r.comm, q);
      });
  const std::vector<int>& counts = blocks.counts;
  compare(
      "reduce_scatter", r, words(total - r.size), words(own),
      [&](Values& s, Values& b) { return adcl::reduce_scatter(s, b, counts, MPI_SUM, r.comm); },
      [&](Values& s, Values& b, ADCL_Request* q) {
        return ADCL_Reduce_scatter_init(s.data(), b.data(), counts.data(), MPI_DOUBLE, MPI_SUM, r.comm, q);
      });
}

void everywhere(const Ranks& r, int n) {
  const int all = n * r.size;
  const auto same = [&](const std::string& name, std::size_t send, auto function, auto reference) {
    compare(
        name, r, send, words(all), [&](Values& s, Values& b) { return function(s, b, r.comm); },
        [&](Values& s, Values& b, ADCL_Request* q) {
          return reference(s.data(), n, MPI_DOUBLE, b.data(), n, MPI_DOUBLE, r.comm, q);
        });
  };
  same(
      "allgather", words(n), [](Values& s, Values& b, MPI_Comm c) { return adcl::allgather(s, b, c); },
      ADCL_Allgather_init);
  same(
      "iallgather", words(n), [](Values& s, Values& b, MPI_Comm c) { return adcl::iallgather(s, b, c); },
      ADCL_Iallgather_init);
  same(
      "alltoall", words(all), [](Values& s, Values& b, MPI_Comm c) { return adcl::alltoall(s, b, c); },
      ADCL_Alltoall_init);
  same(
      "ialltoall", words(all), [](Values& s, Values& b, MPI_Comm c) { return adcl::ialltoall(s, b, c); },
      ADCL_Ialltoall_init);
  const auto reduction = [&](const std::string& name, auto function, auto reference) {
    compare(
        name, r, words(n), words(n), [&](Values& s, Values& b) { return function(s, b, r.comm); },
        [&](Values& s, Values& b, ADCL_Request* q) {
          return reference(s.data(), b.data(), n, MPI_DOUBLE, MPI_SUM, r.comm, q);
        });
  };
  reduction(
      "allreduce", [](Values& s, Values& b, MPI_Comm c) { return adcl::allreduce(s, b, MPI_SUM, c); },
      ADCL_Allreduce_init);
  reduction(
      "iallreduce", [](Values& s, Values& b, MPI_Comm c) { return adcl::iallreduce(s, b, MPI_SUM, c); },
      ADCL_Iallreduce_init);
  reduction(
      "scan", [](Values& s, Values& b, MPI_Comm c) { return adcl::scan(s, b, MPI_SUM, c); }, ADCL_Scan_init);
  reduction(
      "exscan", [](Values& s, Values& b, MPI_Comm c) { return adcl::exscan(s, b, MPI_SUM, c); }, ADCL_Exscan_init);
  compare(
      "allreduce in place", r, 0, words(n),
      [&](Values&, Values& b) { return adcl::allreduce(adcl::in_place, b, MPI_SUM, r.comm); },
      [&](Values&, Values& b, ADCL_Request* q) {
        return ADCL_Allreduce_init(MPI_IN_PLACE, b.data(), n, MPI_DOUBLE, MPI_SUM, r.comm, q);
      });
  compare(
      "reduce_scatter_block", r, words(all), words(n),
      [&](Values& s, Values& b) { return adcl::reduce_scatter_block(s, b, MPI_SUM, r.comm); },
      [&](Values& s, Values& b, ADCL_Request* q) {
        return ADCL_Reduce_scatter_block_init(s.data(), b.data(), n, MPI_DOUBLE, MPI_SUM, r.comm, q);
      });
  adcl::Request barrier = adcl::barrier(r.comm);
  barrier.start();
}

/// Mistakes of one rank: every rank gets the same code, and the rank's message names the mistake.
void mistakes(const Ranks& r) {
  Values values(words(r.size + 1));
  std::error_code code;
  const auto expect_argument = [&](const adcl::Request& request, const std::string& words_of_message) {
    expect(!request && code == adcl::Errc::argument, "code " + code.message());
    expect(r.rank != 0 || adcl::last_error().find(words_of_message) != std::string::npos, adcl::last_error());
  };
  Values longer(words(r.size + 1 + (r.rank == 0 ? 1 : 0)));
  expect_argument(adcl::allreduce(values, longer, MPI_SUM, r.comm, code), "pass buffers of the same size");
  Values part(1);
  const std::size_t odd = words(r.size) + (r.rank == 0 && r.size > 1 ? 1 : 0);
  Values uneven(odd);
  if (r.size > 1) {
    expect_argument(adcl::allgather(part, uneven, r.comm, code), "not a multiple of the");
  }
  Values all(words(r.size));
  const adcl::Blocks few = adcl::packed(std::vector<int>(words(r.size) - (r.rank == 0 ? 1 : 0), 1));
  expect_argument(adcl::allgatherv(part, all, few, r.comm, code), "pass one count and one displacement per rank");
  adcl::Blocks outside = adcl::packed(std::vector<int>(words(r.size), 1));
  outside.displs[0] = r.rank == 0 ? r.size : 0;
  expect_argument(adcl::allgatherv(part, all, outside, r.comm, code), "pass a larger buffer");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const adcl::Library library;
    adcl::set_option("ADCL_SEARCH", "brute_force");
    adcl::set_option("ADCL_MEASUREMENTS", "1");
    Ranks ranks;
    MPI_Comm_rank(ranks.comm, &ranks.rank);
    MPI_Comm_size(ranks.comm, &ranks.size);
    std::mt19937 random(4920);
    for (int trial = 0; trial < 3; ++trial) {
      const int n = std::uniform_int_distribution<int>(1, 40)(random);
      const int root = std::uniform_int_distribution<int>(0, ranks.size - 1)(random);
      rooted(ranks, n, root);
      varying(ranks, n, root);
      everywhere(ranks, n);
    }
    mistakes(ranks);
  }
  const int code = adcl::test::exit_code();
  MPI_Finalize();
  return code;
}
