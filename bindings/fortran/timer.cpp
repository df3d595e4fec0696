#include "shim.hpp"

using namespace adcl::fortran;

ADCL_F_API void adcl_f_timer_create(const int* n, const CFI_cdesc_t* reqs, int* timer, int* ierror) {
  *timer = integer(ADCL_TIMER_NULL);
  call(ierror, [&] {
    ADCL_Timer created = ADCL_TIMER_NULL;
    std::vector<ADCL_Request> requests;
    const auto create = [&](int count) { return ADCL_Timer_create(count, requests.data(), &created); };
    try {
      requests = handles<ADCL_Request>(reqs, *n, "ADCL_Timer_create: reqs");
    } catch (const Error& error) {
      requests = handles<ADCL_Request>(reqs, static_cast<int>(element_count(reqs)), "ADCL_Timer_create: reqs");
      requests.push_back(ADCL_REQUEST_NULL);
      fail_on_all_ranks(error, [&] { return create(static_cast<int>(requests.size())); });
    }
    const int code = create(*n);
    *timer = integer(created);
    return code;
  });
}

ADCL_F_API void adcl_f_timer_free(int* timer, int* ierror) {
  call(ierror, [&] { return release<ADCL_Timer>(ADCL_Timer_free, timer); });
}

ADCL_F_API void adcl_f_timer_add_request(const int* timer, const int* req, int* ierror) {
  call(ierror, [&] { return ADCL_Timer_add_request(handle<ADCL_Timer>(timer), handle<ADCL_Request>(req)); });
}

ADCL_F_API void adcl_f_timer_remove_request(const int* timer, const int* req, int* ierror) {
  call(ierror, [&] { return ADCL_Timer_remove_request(handle<ADCL_Timer>(timer), handle<ADCL_Request>(req)); });
}

ADCL_F_API void adcl_f_timer_commit(const int* timer, int* ierror) {
  call(ierror, [&] { return ADCL_Timer_commit(handle<ADCL_Timer>(timer)); });
}

ADCL_F_API void adcl_f_timer_start(const int* timer, int* ierror) {
  call(ierror, [&] { return ADCL_Timer_start(handle<ADCL_Timer>(timer)); });
}

ADCL_F_API void adcl_f_timer_stop(const int* timer, int* ierror) {
  call(ierror, [&] { return ADCL_Timer_stop(handle<ADCL_Timer>(timer)); });
}

ADCL_F_API void adcl_f_timer_get_state(const int* timer, int* state, int* ierror) {
  preset(state);
  call(ierror, [&] { return ADCL_Timer_get_state(handle<ADCL_Timer>(timer), state); });
}
