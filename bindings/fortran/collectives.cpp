// Collectives without a root, in one call.
#include "collectives.hpp"

using namespace adcl::fortran;

ADCL_F_API void adcl_f_barrier_init(const MPI_Fint* comm, int* req, int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) { return ADCL_Barrier_init(communicator(comm), created); });
}

ADCL_F_API void adcl_f_allgather_init(const CFI_cdesc_t* sbuf, const int* scount, const MPI_Fint* stype,
                                      const CFI_cdesc_t* rbuf, const int* rcount, const MPI_Fint* rtype,
                                      const MPI_Fint* comm, int* req, int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Allgather_init(sbuf_address, *scount, datatype(stype), rbuf_address, *rcount, datatype(rtype),
                                 communicator(comm), where);
    };
    try {
      sbuf_address = buffer(sbuf, "ADCL_Allgather_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Allgather_init: rbuf");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
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
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Alltoall_init(sbuf_address, *scount, datatype(stype), rbuf_address, *rcount, datatype(rtype),
                                communicator(comm), where);
    };
    try {
      sbuf_address = buffer(sbuf, "ADCL_Alltoall_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Alltoall_init: rbuf");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
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
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Allreduce_init(sbuf_address, rbuf_address, *count, datatype(type), operation(op), communicator(comm),
                                 where);
    };
    try {
      sbuf_address = buffer(sbuf, "ADCL_Allreduce_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Allreduce_init: rbuf");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
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
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Scan_init(sbuf_address, rbuf_address, *count, datatype(type), operation(op), communicator(comm),
                            where);
    };
    try {
      sbuf_address = buffer(sbuf, "ADCL_Scan_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Scan_init: rbuf");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}

ADCL_F_API void adcl_f_exscan_init(const CFI_cdesc_t* sbuf, const CFI_cdesc_t* rbuf, const int* count,
                                   const MPI_Fint* type, const MPI_Fint* op, const MPI_Fint* comm, int* req,
                                   int* ierror) {
  create(req, ierror, [&](ADCL_Request* created) {
    void* sbuf_address = nullptr;
    void* rbuf_address = nullptr;
    const auto init = [&](ADCL_Request* where) {
      return ADCL_Exscan_init(sbuf_address, rbuf_address, *count, datatype(type), operation(op), communicator(comm),
                              where);
    };
    try {
      sbuf_address = buffer(sbuf, "ADCL_Exscan_init: sbuf");
      rbuf_address = buffer(rbuf, "ADCL_Exscan_init: rbuf");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return init(nullptr); });
    }
    return init(created);
  });
}
