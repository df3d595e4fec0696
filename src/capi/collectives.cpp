// ADCL_Barrier_init to ADCL_Exscan_init, ADCL_Ibcast_init and similar: collective operations in one call.
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ADCL.h"
#include "capi/collective_sides.hpp"
#include "capi/guard.hpp"
#include "capi/publish.hpp"
#include "capi/registry.hpp"
#include "codelets/collectives/vmaps.hpp"

namespace adcl::capi {
namespace {

using codelets::RedscatterVmap;
using codelets::ReduceVmap;
using runtime::Request;
using runtime::RequestParts;

/// This rank, the number of ranks and the root.
struct Ranks {
  int rank;
  int size;
  int root;
  [[nodiscard]] bool is_root() const { return rank == root; }
};

/// Creates a request; \p make fills its field locally.
template <typename Make>
int create(const char *call, ADCL_Fnctset set, int root, MPI_Comm comm, ADCL_Request *req, const Make &make) {
  return guard(call, [&] {
    require_initialized();
    const auto topology = data::topology_of(comm, root);
    auto parts = mpi::attempt([&] {
      require_pointer(static_cast<const void *>(req), "req");
      RequestParts made;
      made.set = registry().fnctsets.get(set, "set");
      made.topology = topology;
      Side send;
      Side receive;
      make(Ranks{topology->context->rank(), topology->context->size(), root}, send, receive);
      made.fields.push_back({send.vector, receive.vector, send.vmap, receive.vmap});
      return made;
    });
    publish(Request::create(topology->context, std::move(parts), registry().settings()), req);
  });
}

/// Arguments of a reduction; \p total of \p counts entries are combined.
struct Reduction {
  const void *sbuf;
  void *rbuf;
  MPI_Datatype type;
};

/// Fills both sides of a reduction that uses \p vmap: \p total entries are combined, and ranks with a result receive
/// \p kept entries.
void reduction(const Reduction &of, const std::shared_ptr<data::Vmap> &vmap, std::int64_t total, std::int64_t kept,
               bool has_result, Side &send, Side &receive) {
  if (has_result && of.sbuf == MPI_IN_PLACE) {
    send = in_place();
    receive = {array(of.rbuf, total, of.type, "rbuf"), vmap};
    return;
  }
  send = {array(of.sbuf, total, of.type, "sbuf"), vmap};
  if (has_result) {
    require(of.sbuf != of.rbuf || of.sbuf == nullptr || kept == 0, Code::argument,
            "sbuf and rbuf are the same array; pass MPI_IN_PLACE as sbuf where the result replaces the data");
    receive = {array(of.rbuf, kept, of.type, "rbuf"), vmap};
  }
}

int bcast(const char *call, ADCL_Fnctset set, void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
          ADCL_Request *req) {
  return create(call, set, root, comm, req,
                [&](const Ranks &, Side &, Side &receive) { receive = blocks(buf, count, 1, type, "buf", "count"); });
}

/// Arguments of the send and receive sides.
struct Exchange {
  const void *sbuf;
  int scount;
  MPI_Datatype stype;
  void *rbuf;
  int rcount;
  MPI_Datatype rtype;
};

int allgather(const char *call, ADCL_Fnctset set, const Exchange &of, MPI_Comm comm, ADCL_Request *req) {
  return create(call, set, 0, comm, req, [&](const Ranks &ranks, Side &send, Side &receive) {
    send = of.sbuf == MPI_IN_PLACE ? in_place() : blocks(of.sbuf, of.scount, 1, of.stype, "sbuf", "scount");
    receive = blocks(of.rbuf, of.rcount, ranks.size, of.rtype, "rbuf", "rcount");
  });
}

int alltoall(const char *call, ADCL_Fnctset set, const Exchange &of, MPI_Comm comm, ADCL_Request *req) {
  return create(call, set, 0, comm, req, [&](const Ranks &ranks, Side &send, Side &receive) {
    send = of.sbuf == MPI_IN_PLACE ? in_place() : blocks(of.sbuf, of.scount, ranks.size, of.stype, "sbuf", "scount");
    receive = blocks(of.rbuf, of.rcount, ranks.size, of.rtype, "rbuf", "rcount");
  });
}

int reduce(const char *call, ADCL_Fnctset set, const Reduction &of, int count, MPI_Op op, int root, MPI_Comm comm,
           ADCL_Request *req) {
  return create(call, set, root, comm, req, [&](const Ranks &ranks, Side &send, Side &receive) {
    require_count(count, "count");
    reduction(of, std::make_shared<ReduceVmap>(count, op), count, count, ranks.is_root(), send, receive);
  });
}

int simple_reduction(const char *call, ADCL_Fnctset set, const Reduction &of, int count, MPI_Op op, MPI_Comm comm,
                     ADCL_Request *req) {
  return create(call, set, 0, comm, req, [&](const Ranks & /*ranks*/, Side &send, Side &receive) {
    require_count(count, "count");
    reduction(of, std::make_shared<ReduceVmap>(count, op), count, count, true, send, receive);
  });
}

}  // namespace
}  // namespace adcl::capi

using namespace adcl::capi;

extern "C" {

int ADCL_Barrier_init(MPI_Comm comm, ADCL_Request *req) {
  return create("ADCL_Barrier_init", ADCL_FNCTSET_BARRIER, 0, comm, req, [](const Ranks &, Side &, Side &) {});
}

int ADCL_Bcast_init(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, ADCL_Request *req) {
  return bcast("ADCL_Bcast_init", ADCL_FNCTSET_BCAST, buf, count, type, root, comm, req);
}

int ADCL_Gather_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, MPI_Datatype rtype,
                     int root, MPI_Comm comm, ADCL_Request *req) {
  return create("ADCL_Gather_init", ADCL_FNCTSET_GATHER, root, comm, req,
                [&](const Ranks &ranks, Side &send, Side &receive) {
                  const bool stays = ranks.is_root() && sbuf == MPI_IN_PLACE;
                  send = stays ? in_place() : blocks(sbuf, scount, 1, stype, "sbuf", "scount");
                  if (ranks.is_root()) {
                    receive = blocks(rbuf, rcount, ranks.size, rtype, "rbuf", "rcount");
                  }
                });
}

int ADCL_Gatherv_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, const int *rcounts,
                      const int *displs, MPI_Datatype rtype, int root, MPI_Comm comm, ADCL_Request *req) {
  return create("ADCL_Gatherv_init", ADCL_FNCTSET_GATHERV, root, comm, req,
                [&](const Ranks &ranks, Side &send, Side &receive) {
                  const bool stays = ranks.is_root() && sbuf == MPI_IN_PLACE;
                  send = stays ? in_place() : blocks(sbuf, scount, 1, stype, "sbuf", "scount");
                  if (ranks.is_root()) {
                    receive = list(rbuf, rcounts, displs, ranks.size, rtype, "rbuf", "rcounts");
                  }
                });
}

int ADCL_Scatter_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, MPI_Datatype rtype,
                      int root, MPI_Comm comm, ADCL_Request *req) {
  return create("ADCL_Scatter_init", ADCL_FNCTSET_SCATTER, root, comm, req,
                [&](const Ranks &ranks, Side &send, Side &receive) {
                  const bool stays = ranks.is_root() && rbuf == MPI_IN_PLACE;
                  receive = stays ? in_place() : blocks(rbuf, rcount, 1, rtype, "rbuf", "rcount");
                  if (ranks.is_root()) {
                    send = blocks(sbuf, scount, ranks.size, stype, "sbuf", "scount");
                  }
                });
}

int ADCL_Scatterv_init(const void *sbuf, const int *scounts, const int *displs, MPI_Datatype stype, void *rbuf,
                       int rcount, MPI_Datatype rtype, int root, MPI_Comm comm, ADCL_Request *req) {
  return create("ADCL_Scatterv_init", ADCL_FNCTSET_SCATTERV, root, comm, req,
                [&](const Ranks &ranks, Side &send, Side &receive) {
                  const bool stays = ranks.is_root() && rbuf == MPI_IN_PLACE;
                  receive = stays ? in_place() : blocks(rbuf, rcount, 1, rtype, "rbuf", "rcount");
                  if (ranks.is_root()) {
                    send = list(sbuf, scounts, displs, ranks.size, stype, "sbuf", "scounts");
                  }
                });
}

int ADCL_Allgather_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, MPI_Datatype rtype,
                        MPI_Comm comm, ADCL_Request *req) {
  return allgather("ADCL_Allgather_init", ADCL_FNCTSET_ALLGATHER, {sbuf, scount, stype, rbuf, rcount, rtype}, comm,
                   req);
}

int ADCL_Allgatherv_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, const int *rcounts,
                         const int *displs, MPI_Datatype rtype, MPI_Comm comm, ADCL_Request *req) {
  return create("ADCL_Allgatherv_init", ADCL_FNCTSET_ALLGATHERV, 0, comm, req,
                [&](const Ranks &ranks, Side &send, Side &receive) {
                  send = sbuf == MPI_IN_PLACE ? in_place() : blocks(sbuf, scount, 1, stype, "sbuf", "scount");
                  receive = list(rbuf, rcounts, displs, ranks.size, rtype, "rbuf", "rcounts");
                });
}

int ADCL_Alltoall_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, MPI_Datatype rtype,
                       MPI_Comm comm, ADCL_Request *req) {
  return alltoall("ADCL_Alltoall_init", ADCL_FNCTSET_ALLTOALL, {sbuf, scount, stype, rbuf, rcount, rtype}, comm, req);
}

int ADCL_Alltoallv_init(const void *sbuf, const int *scounts, const int *sdispls, MPI_Datatype stype, void *rbuf,
                        const int *rcounts, const int *rdispls, MPI_Datatype rtype, MPI_Comm comm, ADCL_Request *req) {
  return create(
      "ADCL_Alltoallv_init", ADCL_FNCTSET_ALLTOALLV, 0, comm, req, [&](const Ranks &ranks, Side &send, Side &receive) {
        send = sbuf == MPI_IN_PLACE ? in_place() : list(sbuf, scounts, sdispls, ranks.size, stype, "sbuf", "scounts");
        receive = list(rbuf, rcounts, rdispls, ranks.size, rtype, "rbuf", "rcounts");
      });
}

int ADCL_Alltoallw_init(const void *sbuf, const int *scounts, const int *sdispls, const MPI_Datatype *stypes,
                        void *rbuf, const int *rcounts, const int *rdispls, const MPI_Datatype *rtypes, MPI_Comm comm,
                        ADCL_Request *req) {
  return create(
      "ADCL_Alltoallw_init", ADCL_FNCTSET_ALLTOALLW, 0, comm, req, [&](const Ranks &ranks, Side &send, Side &receive) {
        send = sbuf == MPI_IN_PLACE ? in_place() : listw(sbuf, scounts, sdispls, stypes, ranks.size, "sbuf", "scounts");
        receive = listw(rbuf, rcounts, rdispls, rtypes, ranks.size, "rbuf", "rcounts");
      });
}

int ADCL_Reduce_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                     ADCL_Request *req) {
  return reduce("ADCL_Reduce_init", ADCL_FNCTSET_REDUCE, {sbuf, rbuf, type}, count, op, root, comm, req);
}

int ADCL_Allreduce_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        ADCL_Request *req) {
  return simple_reduction("ADCL_Allreduce_init", ADCL_FNCTSET_ALLREDUCE, {sbuf, rbuf, type}, count, op, comm, req);
}

int ADCL_Reduce_scatter_block_init(const void *sbuf, void *rbuf, int rcount, MPI_Datatype type, MPI_Op op,
                                   MPI_Comm comm, ADCL_Request *req) {
  return create("ADCL_Reduce_scatter_block_init", ADCL_FNCTSET_REDUCE_SCATTER_BLOCK, 0, comm, req,
                [&](const Ranks &ranks, Side &send, Side &receive) {
                  require_count(rcount, "rcount");
                  reduction({sbuf, rbuf, type}, std::make_shared<ReduceVmap>(rcount, op),
                            static_cast<std::int64_t>(rcount) * ranks.size, rcount, true, send, receive);
                });
}

int ADCL_Reduce_scatter_init(const void *sbuf, void *rbuf, const int *rcounts, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm, ADCL_Request *req) {
  return create("ADCL_Reduce_scatter_init", ADCL_FNCTSET_REDUCE_SCATTER, 0, comm, req,
                [&](const Ranks &ranks, Side &send, Side &receive) {
                  auto counts = counts_of(rcounts, ranks.size, "rcounts");
                  std::int64_t total = 0;
                  for (const int count : counts) {
                    total += count;
                  }
                  const int kept = counts[static_cast<std::size_t>(ranks.rank)];
                  reduction({sbuf, rbuf, type}, std::make_shared<RedscatterVmap>(std::move(counts), op), total, kept,
                            true, send, receive);
                });
}

int ADCL_Scan_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   ADCL_Request *req) {
  return simple_reduction("ADCL_Scan_init", ADCL_FNCTSET_SCAN, {sbuf, rbuf, type}, count, op, comm, req);
}

int ADCL_Exscan_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                     ADCL_Request *req) {
  return create("ADCL_Exscan_init", ADCL_FNCTSET_EXSCAN, 0, comm, req,
                [&](const Ranks &ranks, Side &send, Side &receive) {
                  require_count(count, "count");
                  // Rank 0 receives nothing: MPI ignores its receive array.
                  const bool ignored = ranks.rank == 0 && sbuf != MPI_IN_PLACE;
                  reduction({sbuf, ignored ? adcl::data::Vector::no_array() : rbuf, type},
                            std::make_shared<ReduceVmap>(count, op), count, count, true, send, receive);
                });
}

int ADCL_Ibcast_init(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, ADCL_Request *req) {
  return bcast("ADCL_Ibcast_init", ADCL_FNCTSET_IBCAST, buf, count, type, root, comm, req);
}

int ADCL_Iallgather_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, MPI_Datatype rtype,
                         MPI_Comm comm, ADCL_Request *req) {
  return allgather("ADCL_Iallgather_init", ADCL_FNCTSET_IALLGATHER, {sbuf, scount, stype, rbuf, rcount, rtype}, comm,
                   req);
}

int ADCL_Ialltoall_init(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount, MPI_Datatype rtype,
                        MPI_Comm comm, ADCL_Request *req) {
  return alltoall("ADCL_Ialltoall_init", ADCL_FNCTSET_IALLTOALL, {sbuf, scount, stype, rbuf, rcount, rtype}, comm, req);
}

int ADCL_Ireduce_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                      ADCL_Request *req) {
  return reduce("ADCL_Ireduce_init", ADCL_FNCTSET_IREDUCE, {sbuf, rbuf, type}, count, op, root, comm, req);
}

int ADCL_Iallreduce_init(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                         ADCL_Request *req) {
  return simple_reduction("ADCL_Iallreduce_init", ADCL_FNCTSET_IALLREDUCE, {sbuf, rbuf, type}, count, op, comm, req);
}

}  // extern "C"
