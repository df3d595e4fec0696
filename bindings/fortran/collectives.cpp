// Collectives without a root, in one call.
#include "collectives.hpp"

#include <string>

using namespace adcl::fortran;

namespace {

/// An allgather or an all-to-all of one count: \p of makes the request, and is called \p name.
using ExchangeInit = decltype(&ADCL_Allgather_init);

struct Exchange {
  ExchangeInit of;
  std::string name;
};

void exchange_init(const Exchange& exchange, const CFI_cdesc_t* sbuf, const int* scount, const MPI_Fint* stype,
                   const CFI_cdesc_t* rbuf, const int* rcount, const MPI_Fint* rtype, const MPI_Fint* comm, int* req,
                   int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    const auto init = [&](ADCL_Request* where) {
      return exchange.of(sbuf_address, *scount, datatype(stype), rbuf_address, *rcount, datatype(rtype),
                         communicator(comm), where);
    };
    try {
      sbuf_address = buffer(sbuf, (exchange.name + ": sbuf").c_str());
      rbuf_address = buffer(rbuf, (exchange.name + ": rbuf").c_str());
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}

/// A reduction of one count without a root.
using ReductionInit = decltype(&ADCL_Allreduce_init);

struct Reduction {
  ReductionInit of;
  std::string name;
};

void reduction_init(const Reduction& reduction, const CFI_cdesc_t* sbuf, const CFI_cdesc_t* rbuf, const int* count,
                    const MPI_Fint* type, const MPI_Fint* op, const MPI_Fint* comm, int* req, int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    const auto init = [&](ADCL_Request* where) {
      return reduction.of(sbuf_address, rbuf_address, *count, datatype(type), operation(op), communicator(comm), where);
    };
    try {
      sbuf_address = buffer(sbuf, (reduction.name + ": sbuf").c_str());
      rbuf_address = buffer(rbuf, (reduction.name + ": rbuf").c_str());
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}

}  // namespace

ADCL_F_API void adcl_f_barrier_init(const MPI_Fint* comm, int* req, int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) { return ADCL_Barrier_init(communicator(comm), created); });
}

ADCL_F_API void adcl_f_allgather_init(const CFI_cdesc_t* sbuf, const int* scount, const MPI_Fint* stype,
                                      const CFI_cdesc_t* rbuf, const int* rcount, const MPI_Fint* rtype,
                                      const MPI_Fint* comm, int* req, int* ierror) {
  exchange_init({&ADCL_Allgather_init, "ADCL_Allgather_init"}, sbuf, scount, stype, rbuf, rcount, rtype, comm, req,
                ierror);
}

ADCL_F_API void adcl_f_iallgather_init(const CFI_cdesc_t* sbuf, const int* scount, const MPI_Fint* stype,
                                       const CFI_cdesc_t* rbuf, const int* rcount, const MPI_Fint* rtype,
                                       const MPI_Fint* comm, int* req, int* ierror) {
  exchange_init({&ADCL_Iallgather_init, "ADCL_Iallgather_init"}, sbuf, scount, stype, rbuf, rcount, rtype, comm, req,
                ierror);
}

ADCL_F_API void adcl_f_allgatherv_init(const CFI_cdesc_t* sbuf, const int* scount, const MPI_Fint* stype,
                                       const CFI_cdesc_t* rbuf, const CFI_cdesc_t* rcounts, const CFI_cdesc_t* displs,
                                       const MPI_Fint* rtype, const MPI_Fint* comm, int* req, int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    std::vector<int> rcounts_list;
    std::vector<int> displs_list;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Allgatherv_init(sbuf_address, *scount, datatype(stype), rbuf_address, rcounts_list.data(),
                                  displs_list.data(), datatype(rtype), communicator(comm), where);
    };
    try {
      const Processes processes(comm);
      sbuf_address = buffer(sbuf, "ADCL_Allgatherv_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Allgatherv_init: rbuf");
      rcounts_list = list<int>(rcounts, true, processes, "ADCL_Allgatherv_init: rcounts");
      displs_list = list<int>(displs, true, processes, "ADCL_Allgatherv_init: displs");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}

ADCL_F_API void adcl_f_alltoall_init(const CFI_cdesc_t* sbuf, const int* scount, const MPI_Fint* stype,
                                     const CFI_cdesc_t* rbuf, const int* rcount, const MPI_Fint* rtype,
                                     const MPI_Fint* comm, int* req, int* ierror) {
  exchange_init({&ADCL_Alltoall_init, "ADCL_Alltoall_init"}, sbuf, scount, stype, rbuf, rcount, rtype, comm, req,
                ierror);
}

ADCL_F_API void adcl_f_ialltoall_init(const CFI_cdesc_t* sbuf, const int* scount, const MPI_Fint* stype,
                                      const CFI_cdesc_t* rbuf, const int* rcount, const MPI_Fint* rtype,
                                      const MPI_Fint* comm, int* req, int* ierror) {
  exchange_init({&ADCL_Ialltoall_init, "ADCL_Ialltoall_init"}, sbuf, scount, stype, rbuf, rcount, rtype, comm, req,
                ierror);
}

ADCL_F_API void adcl_f_alltoallv_init(const CFI_cdesc_t* sbuf, const CFI_cdesc_t* scounts, const CFI_cdesc_t* sdispls,
                                      const MPI_Fint* stype, const CFI_cdesc_t* rbuf, const CFI_cdesc_t* rcounts,
                                      const CFI_cdesc_t* rdispls, const MPI_Fint* rtype, const MPI_Fint* comm, int* req,
                                      int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    std::vector<int> scounts_list;
    std::vector<int> sdispls_list;
    void* rbuf_address = nullptr;
    std::vector<int> rcounts_list;
    std::vector<int> rdispls_list;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Alltoallv_init(sbuf_address, scounts_list.data(), sdispls_list.data(), datatype(stype), rbuf_address,
                                 rcounts_list.data(), rdispls_list.data(), datatype(rtype), communicator(comm), where);
    };
    try {
      const Processes processes(comm);
      sbuf_address = buffer(sbuf, "ADCL_Alltoallv_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Alltoallv_init: rbuf");
      scounts_list = list<int>(scounts, sbuf_address != MPI_IN_PLACE, processes, "ADCL_Alltoallv_init: scounts");
      sdispls_list = list<int>(sdispls, sbuf_address != MPI_IN_PLACE, processes, "ADCL_Alltoallv_init: sdispls");
      rcounts_list = list<int>(rcounts, true, processes, "ADCL_Alltoallv_init: rcounts");
      rdispls_list = list<int>(rdispls, true, processes, "ADCL_Alltoallv_init: rdispls");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}

ADCL_F_API void adcl_f_alltoallw_init(const CFI_cdesc_t* sbuf, const CFI_cdesc_t* scounts, const CFI_cdesc_t* sdispls,
                                      const CFI_cdesc_t* stypes, const CFI_cdesc_t* rbuf, const CFI_cdesc_t* rcounts,
                                      const CFI_cdesc_t* rdispls, const CFI_cdesc_t* rtypes, const MPI_Fint* comm,
                                      int* req, int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    std::vector<int> scounts_list;
    std::vector<int> sdispls_list;
    std::vector<MPI_Datatype> stypes_list;
    void* rbuf_address = nullptr;
    std::vector<int> rcounts_list;
    std::vector<int> rdispls_list;
    std::vector<MPI_Datatype> rtypes_list;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Alltoallw_init(sbuf_address, scounts_list.data(), sdispls_list.data(), stypes_list.data(),
                                 rbuf_address, rcounts_list.data(), rdispls_list.data(), rtypes_list.data(),
                                 communicator(comm), where);
    };
    try {
      const Processes processes(comm);
      sbuf_address = buffer(sbuf, "ADCL_Alltoallw_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Alltoallw_init: rbuf");
      scounts_list = list<int>(scounts, sbuf_address != MPI_IN_PLACE, processes, "ADCL_Alltoallw_init: scounts");
      sdispls_list = list<int>(sdispls, sbuf_address != MPI_IN_PLACE, processes, "ADCL_Alltoallw_init: sdispls");
      stypes_list =
          datatypes(list<MPI_Fint>(stypes, sbuf_address != MPI_IN_PLACE, processes, "ADCL_Alltoallw_init: stypes"));
      rcounts_list = list<int>(rcounts, true, processes, "ADCL_Alltoallw_init: rcounts");
      rdispls_list = list<int>(rdispls, true, processes, "ADCL_Alltoallw_init: rdispls");
      rtypes_list = datatypes(list<MPI_Fint>(rtypes, true, processes, "ADCL_Alltoallw_init: rtypes"));
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}

ADCL_F_API void adcl_f_allreduce_init(const CFI_cdesc_t* sbuf, const CFI_cdesc_t* rbuf, const int* count,
                                      const MPI_Fint* type, const MPI_Fint* op, const MPI_Fint* comm, int* req,
                                      int* ierror) {
  reduction_init({&ADCL_Allreduce_init, "ADCL_Allreduce_init"}, sbuf, rbuf, count, type, op, comm, req, ierror);
}

ADCL_F_API void adcl_f_iallreduce_init(const CFI_cdesc_t* sbuf, const CFI_cdesc_t* rbuf, const int* count,
                                       const MPI_Fint* type, const MPI_Fint* op, const MPI_Fint* comm, int* req,
                                       int* ierror) {
  reduction_init({&ADCL_Iallreduce_init, "ADCL_Iallreduce_init"}, sbuf, rbuf, count, type, op, comm, req, ierror);
}

ADCL_F_API void adcl_f_reduce_scatter_block_init(const CFI_cdesc_t* sbuf, const CFI_cdesc_t* rbuf, const int* rcount,
                                                 const MPI_Fint* type, const MPI_Fint* op, const MPI_Fint* comm,
                                                 int* req, int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Reduce_scatter_block_init(sbuf_address, rbuf_address, *rcount, datatype(type), operation(op),
                                            communicator(comm), where);
    };
    try {
      sbuf_address = buffer(sbuf, "ADCL_Reduce_scatter_block_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Reduce_scatter_block_init: rbuf");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}

ADCL_F_API void adcl_f_reduce_scatter_init(const CFI_cdesc_t* sbuf, const CFI_cdesc_t* rbuf, const CFI_cdesc_t* rcounts,
                                           const MPI_Fint* type, const MPI_Fint* op, const MPI_Fint* comm, int* req,
                                           int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    std::vector<int> rcounts_list;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Reduce_scatter_init(sbuf_address, rbuf_address, rcounts_list.data(), datatype(type), operation(op),
                                      communicator(comm), where);
    };
    try {
      const Processes processes(comm);
      sbuf_address = buffer(sbuf, "ADCL_Reduce_scatter_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Reduce_scatter_init: rbuf");
      rcounts_list = list<int>(rcounts, true, processes, "ADCL_Reduce_scatter_init: rcounts");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}

ADCL_F_API void adcl_f_scan_init(const CFI_cdesc_t* sbuf, const CFI_cdesc_t* rbuf, const int* count,
                                 const MPI_Fint* type, const MPI_Fint* op, const MPI_Fint* comm, int* req,
                                 int* ierror) {
  reduction_init({&ADCL_Scan_init, "ADCL_Scan_init"}, sbuf, rbuf, count, type, op, comm, req, ierror);
}

ADCL_F_API void adcl_f_exscan_init(const CFI_cdesc_t* sbuf, const CFI_cdesc_t* rbuf, const int* count,
                                   const MPI_Fint* type, const MPI_Fint* op, const MPI_Fint* comm, int* req,
                                   int* ierror) {
  reduction_init({&ADCL_Exscan_init, "ADCL_Exscan_init"}, sbuf, rbuf, count, type, op, comm, req, ierror);
}
