// ADCL_Barrier_init to ADCL_Exscan_init, ADCL_Ibcast_init and similar: collective operations in one call.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "ADCL.h"
#include "capi/objects.hpp"
#include "codelets/collectives/vmaps.hpp"

namespace adcl::capi {
namespace {

using codelets::AllVmap;
using codelets::InplaceVmap;
using codelets::ListVmap;
using codelets::ListwVmap;
using codelets::RedscatterVmap;
using codelets::ReduceVmap;
using data::Vector;
using runtime::RequestParts;

/// The array of one side, and the vmap of the entries that are communicated; null if this rank has no data there.
struct Side {
  std::shared_ptr<Vector> vector;
  std::shared_ptr<data::Vmap> vmap;
};

struct Sides {
  Side send;
  Side receive;
};

struct Ranks {
  int rank;
  int size;
  int root;
  [[nodiscard]] bool is_root() const { return rank == root; }
};

/// Creates a request; \p make returns its sides, and is local.
template <typename Make>
int create(const char *call, ADCL_Fnctset set, int root, MPI_Comm comm, ADCL_Request *req, const Make &make) {
  return create_request_on(call, comm, root, req, [&](const std::shared_ptr<data::Topology> &topology) {
    RequestParts parts;
    parts.set = registry().fnctsets.get(set, "set");
    parts.topology = topology;
    const Sides sides = make(Ranks{topology->context->rank(), topology->context->size(), root});
    parts.fields.push_back({sides.send.vector, sides.receive.vector, sides.send.vmap, sides.receive.vmap});
    return parts;
  });
}

bool any(const std::vector<int> &counts) {
  return std::any_of(counts.begin(), counts.end(), [](int count) { return count > 0; });
}

/// A grid of at least \p entries points, and at least one point. Extents are int, so a large grid has several lines.
Grid grid_of(std::int64_t entries) {
  constexpr std::int64_t line = 65536;
  if (entries <= std::numeric_limits<int>::max()) {
    return {{std::max(static_cast<int>(entries), 1)}};
  }
  return {{static_cast<int>((entries + line - 1) / line), static_cast<int>(line)}};
}

/// The address to use if the application passes null; \p first_byte is the offset of the data. The first page of memory
/// contains no data, so a larger offset is an absolute address, and null means MPI_BOTTOM.
void *null_address(bool has_data, std::int64_t first_byte, const char *argument) {
  constexpr std::int64_t page_bytes = 4096;
  require(!has_data || first_byte >= page_bytes, Code::argument, argument,
          " is a null pointer; pass the address of the data");
  return has_data ? nullptr : Vector::no_array();
}

void require_not_in_place(const void *address, const char *argument) {
  require(address != MPI_IN_PLACE, Code::argument, argument, " is MPI_IN_PLACE, which is not allowed on this rank");
}

/// Returns an array of \p entries. \p address may be null if there are no data, or if the displacements of \p type are
/// addresses: MPI_BOTTOM is a null pointer in many MPI libraries.
std::shared_ptr<Vector> array(const void *address, std::int64_t entries, MPI_Datatype type, const char *argument) {
  require_not_in_place(address, argument);
  void *data = const_cast<void *>(address);
  if (address == nullptr) {
    const mpi::Element element(type, 0);
    data = null_address(entries > 0 && element.size_bytes() > 0, element.true_lower_bound(), argument);
  }
  return std::make_shared<Vector>(grid_of(entries), 0, type, data, Vector::Null::accepted);
}

/// One displacement for each count. The array may be null if all counts are 0.
std::vector<int> displacements_of(const int *displs, const std::vector<int> &counts) {
  std::vector<int> all(counts.size(), 0);
  if (displs != nullptr || any(counts)) {
    require_pointer(displs, "the array of displacements");
    all.assign(displs, displs + counts.size());
  }
  return all;
}

Side in_place() { return {nullptr, std::make_shared<InplaceVmap>()}; }

/// Blocks of the same size at one address, with the names of the caller's arguments.
struct Blocks {
  const void *address;
  int count;
  MPI_Datatype type;
  const char *buffer;
  const char *argument;
};

/// One block for each of \p ranks ranks.
Side side_of(const Blocks &blocks, int ranks) {
  require_count(blocks.count, blocks.argument);
  return {array(blocks.address, static_cast<std::int64_t>(blocks.count) * ranks, blocks.type, blocks.buffer),
          std::make_shared<AllVmap>(blocks.count)};
}

/// Blocks of different sizes at one address.
struct List {
  const void *address;
  const int *counts;
  const int *displs;
  MPI_Datatype type;
  const char *buffer;
  const char *argument;
};

/// One block for each of \p ranks ranks.
Side side_of(const List &list, int ranks) {
  auto lengths = counts_of(list.counts, ranks, list.argument);
  auto places = displacements_of(list.displs, lengths);
  std::int64_t end = any(lengths) ? 1 : 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    end = std::max(end, lengths[i] > 0 ? static_cast<std::int64_t>(places[i]) + lengths[i] : 0);
  }
  return {array(list.address, end, list.type, list.buffer),
          std::make_shared<ListVmap>(std::move(lengths), std::move(places))};
}

/// Blocks of different sizes and datatypes, with displacements in bytes.
struct TypedList {
  const void *address;
  const int *counts;
  const int *displs;
  const MPI_Datatype *types;
  const char *buffer;
  const char *argument;
};

/// One block for each of \p ranks ranks.
Side side_of(const TypedList &list, int ranks) {
  auto lengths = counts_of(list.counts, ranks, list.argument);
  auto places = displacements_of(list.displs, lengths);
  require_pointer(list.types, "the array of datatypes");
  require_not_in_place(list.address, list.buffer);
  void *data = list.address != nullptr ? const_cast<void *>(list.address) : Vector::no_array();
  for (std::size_t i = 0; i < lengths.size() && list.address == nullptr; ++i) {
    const mpi::Element element(list.types[i], 0);
    if (lengths[i] > 0 && element.size_bytes() > 0) {
      data = null_address(true, places[i] + element.true_lower_bound(), list.buffer);
    }
  }
  return {std::make_shared<Vector>(Grid{{1}}, 0, MPI_BYTE, data, Vector::Null::accepted),
          std::make_shared<ListwVmap>(std::move(lengths), std::move(places),
                                      std::vector<MPI_Datatype>(list.types, list.types + ranks))};
}

int bcast(const char *call, ADCL_Fnctset set, void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
          ADCL_Request *req) {
  return create(call, set, root, comm, req, [&](const Ranks & /*ranks*/) {
    return Sides{{}, side_of({buf, count, type, "buf", "count"}, 1)};
  });
}

/// A gather or a scatter: each rank sends or receives (\p own_side) the block \p own, which may be in place at the
/// root. Only the root has \p all blocks for the other direction.
template <typename All>
int rooted(const char *call, ADCL_Fnctset set, Side Sides::*own_side, const Blocks &own, const All &all, int root,
           MPI_Comm comm, ADCL_Request *req) {
  return create(call, set, root, comm, req, [&](const Ranks &ranks) {
    Sides sides;
    sides.*own_side = ranks.is_root() && own.address == MPI_IN_PLACE ? in_place() : side_of(own, 1);
    if (ranks.is_root()) {
      sides.*(own_side == &Sides::send ? &Sides::receive : &Sides::send) = side_of(all, ranks.size);
    }
    return sides;
  });
}

/// An exchange among all ranks. Each rank sends \p send, which may be in place: one block to all ranks (\p
/// same_to_all), or one block to each.
template <typename Send, typename Receive>
int exchange(const char *call, ADCL_Fnctset set, const Send &send, const Receive &receive, bool same_to_all,
             MPI_Comm comm, ADCL_Request *req) {
  return create(call, set, 0, comm, req, [&](const Ranks &ranks) {
    Sides sides;
    sides.send = send.address == MPI_IN_PLACE ? in_place() : side_of(send, same_to_all ? 1 : ranks.size);
    sides.receive = side_of(receive, ranks.size);
    return sides;
  });
}

struct Reduction {
  const void *sbuf;
  void *rbuf;
  MPI_Datatype type;
};

/// The sides of a reduction that uses \p vmap: \p total entries are combined, and ranks with a result receive \p kept
/// entries.
Sides reduction(const Reduction &of, const std::shared_ptr<data::Vmap> &vmap, std::int64_t total, std::int64_t kept,
                bool has_result) {
  if (has_result && of.sbuf == MPI_IN_PLACE) {
    return {in_place(), {array(of.rbuf, total, of.type, "rbuf"), vmap}};
  }
  Sides sides{{array(of.sbuf, total, of.type, "sbuf"), vmap}, {}};
  if (has_result) {
    require(of.sbuf != of.rbuf || of.sbuf == nullptr || kept == 0, Code::argument,
            "sbuf and rbuf are the same array; pass MPI_IN_PLACE as sbuf if the result replaces the data");
    sides.receive = {array(of.rbuf, kept, of.type, "rbuf"), vmap};
  }
  return sides;
}

/// A reduction. The root receives the result, or all ranks if there is no root.
int reduce(const char *call, ADCL_Fnctset set, const Reduction &of, int count, MPI_Op op, std::optional<int> root,
           MPI_Comm comm, ADCL_Request *req) {
  return create(call, set, root.value_or(0), comm, req, [&](const Ranks &ranks) {
    require_count(count, "count");
    return reduction(of, std::make_shared<ReduceVmap>(count, op), count, count, !root.has_value() || ranks.is_root());
  });
}

}  // namespace
}  // namespace adcl::capi

using namespace adcl::capi;

extern "C" {

int ADCL_Barrier_init(MPI_Comm comm, ADCL_Request *req) {
  return create(__func__, ADCL_FNCTSET_BARRIER, 0, comm, req, [](const Ranks & /*ranks*/) { return Sides{}; });
}

int ADCL_Bcast_init(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, ADCL_Request *req) {
  return bcast(__func__, ADCL_FNCTSET_BCAST, buf, count, type, root, comm, req);
}

int ADCL_Gather_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, MPI_Datatype rtype,
                     int root, MPI_Comm comm, ADCL_Request *req) {
  return rooted(__func__, ADCL_FNCTSET_GATHER, &Sides::send, {sbuf, scount, stype, "sbuf", "scount"},
                Blocks{rbuf, rcount, rtype, "rbuf", "rcount"}, root, comm, req);
}

int ADCL_Gatherv_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, const int *rcounts,
                      const int *displs, MPI_Datatype rtype, int root, MPI_Comm comm, ADCL_Request *req) {
  return rooted(__func__, ADCL_FNCTSET_GATHERV, &Sides::send, {sbuf, scount, stype, "sbuf", "scount"},
                List{rbuf, rcounts, displs, rtype, "rbuf", "rcounts"}, root, comm, req);
}

int ADCL_Scatter_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, MPI_Datatype rtype,
                      int root, MPI_Comm comm, ADCL_Request *req) {
  return rooted(__func__, ADCL_FNCTSET_SCATTER, &Sides::receive, {rbuf, rcount, rtype, "rbuf", "rcount"},
                Blocks{sbuf, scount, stype, "sbuf", "scount"}, root, comm, req);
}

int ADCL_Scatterv_init(const void *sbuf, const int *scounts, const int *displs, MPI_Datatype stype, void *rbuf,
                       int rcount, MPI_Datatype rtype, int root, MPI_Comm comm, ADCL_Request *req) {
  return rooted(__func__, ADCL_FNCTSET_SCATTERV, &Sides::receive, {rbuf, rcount, rtype, "rbuf", "rcount"},
                List{sbuf, scounts, displs, stype, "sbuf", "scounts"}, root, comm, req);
}

int ADCL_Allgather_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, MPI_Datatype rtype,
                        MPI_Comm comm, ADCL_Request *req) {
  return exchange(__func__, ADCL_FNCTSET_ALLGATHER, Blocks{sbuf, scount, stype, "sbuf", "scount"},
                  Blocks{rbuf, rcount, rtype, "rbuf", "rcount"}, true, comm, req);
}

int ADCL_Allgatherv_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, const int *rcounts,
                         const int *displs, MPI_Datatype rtype, MPI_Comm comm, ADCL_Request *req) {
  return exchange(__func__, ADCL_FNCTSET_ALLGATHERV, Blocks{sbuf, scount, stype, "sbuf", "scount"},
                  List{rbuf, rcounts, displs, rtype, "rbuf", "rcounts"}, true, comm, req);
}

int ADCL_Alltoall_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, MPI_Datatype rtype,
                       MPI_Comm comm, ADCL_Request *req) {
  return exchange(__func__, ADCL_FNCTSET_ALLTOALL, Blocks{sbuf, scount, stype, "sbuf", "scount"},
                  Blocks{rbuf, rcount, rtype, "rbuf", "rcount"}, false, comm, req);
}

int ADCL_Alltoallv_init(const void *sbuf, const int *scounts, const int *sdispls, MPI_Datatype stype, void *rbuf,
                        const int *rcounts, const int *rdispls, MPI_Datatype rtype, MPI_Comm comm, ADCL_Request *req) {
  return exchange(__func__, ADCL_FNCTSET_ALLTOALLV, List{sbuf, scounts, sdispls, stype, "sbuf", "scounts"},
                  List{rbuf, rcounts, rdispls, rtype, "rbuf", "rcounts"}, false, comm, req);
}

int ADCL_Alltoallw_init(const void *sbuf, const int *scounts, const int *sdispls, const MPI_Datatype *stypes,
                        void *rbuf, const int *rcounts, const int *rdispls, const MPI_Datatype *rtypes, MPI_Comm comm,
                        ADCL_Request *req) {
  return exchange(__func__, ADCL_FNCTSET_ALLTOALLW, TypedList{sbuf, scounts, sdispls, stypes, "sbuf", "scounts"},
                  TypedList{rbuf, rcounts, rdispls, rtypes, "rbuf", "rcounts"}, false, comm, req);
}

int ADCL_Reduce_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                     ADCL_Request *req) {
  return reduce(__func__, ADCL_FNCTSET_REDUCE, {sbuf, rbuf, type}, count, op, root, comm, req);
}

int ADCL_Allreduce_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        ADCL_Request *req) {
  return reduce(__func__, ADCL_FNCTSET_ALLREDUCE, {sbuf, rbuf, type}, count, op, std::nullopt, comm, req);
}

int ADCL_Reduce_scatter_block_init(const void *sbuf, void *rbuf, int rcount, MPI_Datatype type, MPI_Op op,
                                   MPI_Comm comm, ADCL_Request *req) {
  return create(__func__, ADCL_FNCTSET_REDUCE_SCATTER_BLOCK, 0, comm, req, [&](const Ranks &ranks) {
    require_count(rcount, "rcount");
    return reduction({sbuf, rbuf, type}, std::make_shared<ReduceVmap>(rcount, op),
                     static_cast<std::int64_t>(rcount) * ranks.size, rcount, true);
  });
}

int ADCL_Reduce_scatter_init(const void *sbuf, void *rbuf, const int *rcounts, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm, ADCL_Request *req) {
  return create(__func__, ADCL_FNCTSET_REDUCE_SCATTER, 0, comm, req, [&](const Ranks &ranks) {
    auto counts = counts_of(rcounts, ranks.size, "rcounts");
    const auto total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const int kept = counts[static_cast<std::size_t>(ranks.rank)];
    return reduction({sbuf, rbuf, type}, std::make_shared<RedscatterVmap>(std::move(counts), op), total, kept, true);
  });
}

int ADCL_Scan_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   ADCL_Request *req) {
  return reduce(__func__, ADCL_FNCTSET_SCAN, {sbuf, rbuf, type}, count, op, std::nullopt, comm, req);
}

int ADCL_Exscan_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                     ADCL_Request *req) {
  return create(__func__, ADCL_FNCTSET_EXSCAN, 0, comm, req, [&](const Ranks &ranks) {
    require_count(count, "count");
    // Rank 0 receives nothing: MPI ignores its receive array.
    const bool ignored = ranks.rank == 0 && sbuf != MPI_IN_PLACE;
    return reduction({sbuf, ignored ? adcl::data::Vector::no_array() : rbuf, type},
                     std::make_shared<ReduceVmap>(count, op), count, count, true);
  });
}

int ADCL_Ibcast_init(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, ADCL_Request *req) {
  return bcast(__func__, ADCL_FNCTSET_IBCAST, buf, count, type, root, comm, req);
}

int ADCL_Iallgather_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, MPI_Datatype rtype,
                         MPI_Comm comm, ADCL_Request *req) {
  return exchange(__func__, ADCL_FNCTSET_IALLGATHER, Blocks{sbuf, scount, stype, "sbuf", "scount"},
                  Blocks{rbuf, rcount, rtype, "rbuf", "rcount"}, true, comm, req);
}

int ADCL_Ialltoall_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, MPI_Datatype rtype,
                        MPI_Comm comm, ADCL_Request *req) {
  return exchange(__func__, ADCL_FNCTSET_IALLTOALL, Blocks{sbuf, scount, stype, "sbuf", "scount"},
                  Blocks{rbuf, rcount, rtype, "rbuf", "rcount"}, false, comm, req);
}

int ADCL_Ireduce_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                      ADCL_Request *req) {
  return reduce(__func__, ADCL_FNCTSET_IREDUCE, {sbuf, rbuf, type}, count, op, root, comm, req);
}

int ADCL_Iallreduce_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                         ADCL_Request *req) {
  return reduce(__func__, ADCL_FNCTSET_IALLREDUCE, {sbuf, rbuf, type}, count, op, std::nullopt, comm, req);
}

}  // extern "C"
