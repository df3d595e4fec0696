// Collectives with a root, in one call.
#include "collectives.hpp"

#include <string>

using namespace adcl::fortran;

namespace {

/// A broadcast: \p of makes the request, and is called \p name.
struct Broadcast {
  decltype(&ADCL_Bcast_init) of;
  std::string name;
};

void broadcast_init(const Broadcast& broadcast, const CFI_cdesc_t* buf, const int* count, const MPI_Fint* type,
                    const int* root, const MPI_Fint* comm, int* req, int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* buf_address = nullptr;
    const auto init = [&](ADCL_Request* where) {
      return broadcast.of(buf_address, *count, datatype(type), *root, communicator(comm), where);
    };
    try {
      buf_address = buffer(buf, (broadcast.name + ": buf").c_str());
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}

/// A reduction to a root.
struct RootedReduction {
  decltype(&ADCL_Reduce_init) of;
  std::string name;
};

void rooted_reduction_init(const RootedReduction& reduction, const CFI_cdesc_t* sbuf, const CFI_cdesc_t* rbuf,
                           const int* count, const MPI_Fint* type, const MPI_Fint* op, const int* root,
                           const MPI_Fint* comm, int* req, int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    const auto init = [&](ADCL_Request* where) {
      return reduction.of(sbuf_address, rbuf_address, *count, datatype(type), operation(op), *root, communicator(comm),
                          where);
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

ADCL_F_API void adcl_f_bcast_init(const CFI_cdesc_t* buf, const int* count, const MPI_Fint* type, const int* root,
                                  const MPI_Fint* comm, int* req, int* ierror) {
  broadcast_init({&ADCL_Bcast_init, "ADCL_Bcast_init"}, buf, count, type, root, comm, req, ierror);
}

ADCL_F_API void adcl_f_ibcast_init(const CFI_cdesc_t* buf, const int* count, const MPI_Fint* type, const int* root,
                                   const MPI_Fint* comm, int* req, int* ierror) {
  broadcast_init({&ADCL_Ibcast_init, "ADCL_Ibcast_init"}, buf, count, type, root, comm, req, ierror);
}

ADCL_F_API void adcl_f_gather_init(const CFI_cdesc_t* sbuf, const int* scount, const MPI_Fint* stype,
                                   const CFI_cdesc_t* rbuf, const int* rcount, const MPI_Fint* rtype, const int* root,
                                   const MPI_Fint* comm, int* req, int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Gather_init(sbuf_address, *scount, datatype(stype), rbuf_address, *rcount, datatype(rtype), *root,
                              communicator(comm), where);
    };
    try {
      sbuf_address = buffer(sbuf, "ADCL_Gather_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Gather_init: rbuf");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}

ADCL_F_API void adcl_f_gatherv_init(const CFI_cdesc_t* sbuf, const int* scount, const MPI_Fint* stype,
                                    const CFI_cdesc_t* rbuf, const CFI_cdesc_t* rcounts, const CFI_cdesc_t* displs,
                                    const MPI_Fint* rtype, const int* root, const MPI_Fint* comm, int* req,
                                    int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    std::vector<int> rcounts_list;
    std::vector<int> displs_list;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Gatherv_init(sbuf_address, *scount, datatype(stype), rbuf_address, rcounts_list.data(),
                               displs_list.data(), datatype(rtype), *root, communicator(comm), where);
    };
    try {
      const Processes processes(comm);
      sbuf_address = buffer(sbuf, "ADCL_Gatherv_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Gatherv_init: rbuf");
      rcounts_list = list<int>(rcounts, processes.rank == *root, processes, "ADCL_Gatherv_init: rcounts");
      displs_list = list<int>(displs, processes.rank == *root, processes, "ADCL_Gatherv_init: displs");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}

ADCL_F_API void adcl_f_scatter_init(const CFI_cdesc_t* sbuf, const int* scount, const MPI_Fint* stype,
                                    const CFI_cdesc_t* rbuf, const int* rcount, const MPI_Fint* rtype, const int* root,
                                    const MPI_Fint* comm, int* req, int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Scatter_init(sbuf_address, *scount, datatype(stype), rbuf_address, *rcount, datatype(rtype), *root,
                               communicator(comm), where);
    };
    try {
      sbuf_address = buffer(sbuf, "ADCL_Scatter_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Scatter_init: rbuf");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}

ADCL_F_API void adcl_f_scatterv_init(const CFI_cdesc_t* sbuf, const CFI_cdesc_t* scounts, const CFI_cdesc_t* displs,
                                     const MPI_Fint* stype, const CFI_cdesc_t* rbuf, const int* rcount,
                                     const MPI_Fint* rtype, const int* root, const MPI_Fint* comm, int* req,
                                     int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    std::vector<int> scounts_list;
    std::vector<int> displs_list;
    void* rbuf_address = nullptr;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Scatterv_init(sbuf_address, scounts_list.data(), displs_list.data(), datatype(stype), rbuf_address,
                                *rcount, datatype(rtype), *root, communicator(comm), where);
    };
    try {
      const Processes processes(comm);
      sbuf_address = buffer(sbuf, "ADCL_Scatterv_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Scatterv_init: rbuf");
      scounts_list = list<int>(scounts, processes.rank == *root, processes, "ADCL_Scatterv_init: scounts");
      displs_list = list<int>(displs, processes.rank == *root, processes, "ADCL_Scatterv_init: displs");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}

ADCL_F_API void adcl_f_reduce_init(const CFI_cdesc_t* sbuf, const CFI_cdesc_t* rbuf, const int* count,
                                   const MPI_Fint* type, const MPI_Fint* op, const int* root, const MPI_Fint* comm,
                                   int* req, int* ierror) {
  rooted_reduction_init({&ADCL_Reduce_init, "ADCL_Reduce_init"}, sbuf, rbuf, count, type, op, root, comm, req, ierror);
}

ADCL_F_API void adcl_f_ireduce_init(const CFI_cdesc_t* sbuf, const CFI_cdesc_t* rbuf, const int* count,
                                    const MPI_Fint* type, const MPI_Fint* op, const int* root, const MPI_Fint* comm,
                                    int* req, int* ierror) {
  rooted_reduction_init({&ADCL_Ireduce_init, "ADCL_Ireduce_init"}, sbuf, rbuf, count, type, op, root, comm, req,
                        ierror);
}
