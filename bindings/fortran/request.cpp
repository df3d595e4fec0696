#include "procedures.hpp"
#include "shim.hpp"

using namespace adcl::fortran;

namespace {

template <typename Operation>
void with_request(const int* req, int* ierror, const Operation& operation) {
  call(ierror, [&] { return operation(handle<ADCL_Request>(req)); });
}

}  // namespace

ADCL_F_API void adcl_f_request_create(const int* vec, const int* vmap, const int* topo, const int* set, int* req,
                                      int* ierror) {
  *req = integer(ADCL_REQUEST_NULL);
  call(ierror, [&] {
    ADCL_Request created = ADCL_REQUEST_NULL;
    const int code = ADCL_Request_create(handle<ADCL_Vector>(vec), handle<ADCL_Vmap>(vmap), handle<ADCL_Topology>(topo),
                                         handle<ADCL_Fnctset>(set), &created);
    *req = integer(created);
    return code;
  });
}

ADCL_F_API void adcl_f_request_create_generic(const int* svec, const int* svmap, const int* rvec, const int* rvmap,
                                              const int* topo, const int* set, int* req, int* ierror) {
  *req = integer(ADCL_REQUEST_NULL);
  call(ierror, [&] {
    ADCL_Request created = ADCL_REQUEST_NULL;
    const int code = ADCL_Request_create_generic(handle<ADCL_Vector>(svec), handle<ADCL_Vmap>(svmap),
                                                 handle<ADCL_Vector>(rvec), handle<ADCL_Vmap>(rvmap),
                                                 handle<ADCL_Topology>(topo), handle<ADCL_Fnctset>(set), &created);
    *req = integer(created);
    return code;
  });
}

ADCL_F_API void adcl_f_request_create_several(const int* n, const CFI_cdesc_t* svecs, const CFI_cdesc_t* svmaps,
                                              const CFI_cdesc_t* rvecs, const CFI_cdesc_t* rvmaps, const int* topo,
                                              const int* set, int* req, int* ierror) {
  *req = integer(ADCL_REQUEST_NULL);
  call(ierror, [&] {
    ADCL_Request created = ADCL_REQUEST_NULL;
    std::vector<ADCL_Vector> sent;
    std::vector<ADCL_Vector> received;
    std::vector<ADCL_Vmap> sent_parts;
    std::vector<ADCL_Vmap> received_parts;
    const auto create = [&](int count) {
      return ADCL_Request_create_several(count, sent.data(), sent_parts.data(), received.data(), received_parts.data(),
                                         handle<ADCL_Topology>(topo), handle<ADCL_Fnctset>(set), &created);
    };
    try {
      sent = handles<ADCL_Vector>(svecs, *n, "ADCL_Request_create_several: svecs");
      sent_parts = handles<ADCL_Vmap>(svmaps, *n, "ADCL_Request_create_several: svmaps");
      received = handles<ADCL_Vector>(rvecs, *n, "ADCL_Request_create_several: rvecs");
      received_parts = handles<ADCL_Vmap>(rvmaps, *n, "ADCL_Request_create_several: rvmaps");
    } catch (const Error& error) {
      fail_on_all_ranks(error, [&] { return create(0); });
    }
    const int code = create(*n);
    *req = integer(created);
    return code;
  });
}

ADCL_F_API void adcl_f_request_free(int* req, int* ierror) {
  call(ierror, [&] { return release(ADCL_Request_free, req); });
}

ADCL_F_API void adcl_f_request_start(const int* req, int* ierror) {
  with_request(req, ierror, [](ADCL_Request request) { return ADCL_Request_start(request); });
}

ADCL_F_API void adcl_f_request_init(const int* req, int* ierror) {
  with_request(req, ierror, [](ADCL_Request request) { return ADCL_Request_init(request); });
}

ADCL_F_API void adcl_f_request_start_with(const int* req, const CFI_cdesc_t* sbuf, const CFI_cdesc_t* rbuf,
                                          int* ierror) {
  with_request(req, ierror, [&](ADCL_Request request) {
    return ADCL_Request_start_with(request, address(sbuf, "ADCL_Request_start_with: sbuf"),
                                   address(rbuf, "ADCL_Request_start_with: rbuf"));
  });
}

ADCL_F_API void adcl_f_request_init_with(const int* req, const CFI_cdesc_t* sbuf, const CFI_cdesc_t* rbuf,
                                         int* ierror) {
  with_request(req, ierror, [&](ADCL_Request request) {
    return ADCL_Request_init_with(request, address(sbuf, "ADCL_Request_init_with: sbuf"),
                                  address(rbuf, "ADCL_Request_init_with: rbuf"));
  });
}

ADCL_F_API void adcl_f_request_wait(const int* req, int* ierror) {
  with_request(req, ierror, [](ADCL_Request request) { return ADCL_Request_wait(request); });
}

ADCL_F_API int adcl_f_request_test(const int* req, int* flag) {
  preset(flag);
  return guarded([&] { return ADCL_Request_test(handle<ADCL_Request>(req), flag); });
}

ADCL_F_API void adcl_f_request_progress(const int* req, const int* depth, int* ierror) {
  with_request(req, ierror, [&](ADCL_Request request) { return ADCL_Request_progress(request, *depth); });
}

ADCL_F_API int adcl_f_request_start_overlap(const int* req, Address mid, Address end, Address total, Caller caller) {
  return guarded([&] {
    const auto work = [&](Address procedure) {
      return procedure == nullptr ? nullptr : as_work_function(procedure, caller);
    };
    return ADCL_Request_start_overlap(handle<ADCL_Request>(req), work(mid), work(end), work(total));
  });
}

ADCL_F_API void adcl_f_request_update(const int* req, const double* seconds, int* ierror) {
  with_request(req, ierror, [&](ADCL_Request request) { return ADCL_Request_update(request, *seconds); });
}

ADCL_F_API void adcl_f_request_verify(const int* req, int* ierror) {
  with_request(req, ierror, [&](ADCL_Request request) { return ADCL_Request_verify(request); });
}

ADCL_F_API void adcl_f_request_set_context(const int* req, void* const* context, int* ierror) {
  with_request(req, ierror, [&](ADCL_Request request) { return ADCL_Request_set_context(request, *context); });
}

ADCL_F_API void adcl_f_request_get_context(const int* req, void** context, int* ierror) {
  preset(context);
  with_request(req, ierror, [&](ADCL_Request request) { return ADCL_Request_get_context(request, context); });
}
