#include "arguments.hpp"
#include "generated/by_hand.hpp"

using namespace adcl::fortran;

ADCL_F_API void adcl_f_timer_create(const int* n, const CFI_cdesc_t* reqs, int* timer, int* ierror) {
  Result<ADCL_Timer> timer_out(timer, ADCL_TIMER_NULL);
  call("ADCL_Timer_create", ierror, [&](Arguments& given) {
    auto requests = given.handles<ADCL_Request>(reqs, "reqs", *n);
    ADCL_Timer* const created = given.null_if_invalid(timer_out);
    if (created != nullptr) {
      return ADCL_Timer_create(*n, requests.data(), created);
    }
    // The library finds the other ranks through the requests, so at least one must be valid.
    const auto present = static_cast<int>(element_count(reqs));
    requests = given.handles<ADCL_Request>(reqs, "reqs", present);
    return ADCL_Timer_create(present, requests.data(), created);
  });
}

ADCL_F_API void adcl_f_request_get_statistics(const int* req, const int* i, const CFI_cdesc_t* name, int* measurements,
                                              double* mean_s, double* filtered_mean_s, int* outliers, int* ierror) {
  preset(measurements);
  preset(mean_s);
  preset(filtered_mean_s);
  preset(outliers);
  call(ierror, [&] {
    const auto request = handle<ADCL_Request>(req);
    int num = 0;
    const int code = ADCL_Request_get_functions_num(request, &num);
    if (code != ADCL_SUCCESS) {
      return code;
    }
    if (*i < 1 || *i > num) {
      throw Error(ADCL_ERR_ARGUMENT, "ADCL_Request_get_statistics: i is " + std::to_string(*i) +
                                         "; the candidates are 1 to " + std::to_string(num));
    }
    return fetch_text(name, [&](char* buffer, int size) {
      return ADCL_Request_get_statistics(request, *i - 1, buffer, size, measurements, mean_s, filtered_mean_s,
                                         outliers);
    });
  });
}
