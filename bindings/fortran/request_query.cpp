#include "shim.hpp"

using namespace adcl::fortran;

namespace {

using GetName = int (*)(ADCL_Request, char*, int);

void get_name(GetName get, const int* req, const CFI_cdesc_t* name, int* ierror) {
  call(ierror, [&] {
    return fetch_text(name, [&](char* buffer, int size) { return get(handle<ADCL_Request>(req), buffer, size); });
  });
}

/// What ADCL_Request_save_status and ADCL_Request_restore_status exchange, one entry per candidate.
struct Status {
  explicit Status(std::size_t n) : measurements(n), mean_s(n), filtered_mean_s(n), outliers(n) {}
  std::vector<int> measurements;
  std::vector<double> mean_s;
  std::vector<double> filtered_mean_s;
  std::vector<int> outliers;
};

}  // namespace

ADCL_F_API void adcl_f_request_get_state(const int* req, int* state, int* ierror) {
  preset(state);
  call(ierror, [&] { return ADCL_Request_get_state(handle<ADCL_Request>(req), state); });
}

ADCL_F_API void adcl_f_request_get_curr_function(const int* req, const CFI_cdesc_t* name, int* ierror) {
  get_name(ADCL_Request_get_curr_function, req, name, ierror);
}

ADCL_F_API void adcl_f_request_get_winner(const int* req, const CFI_cdesc_t* name, int* ierror) {
  get_name(ADCL_Request_get_winner, req, name, ierror);
}

ADCL_F_API void adcl_f_request_get_fsname(const int* req, const CFI_cdesc_t* name, int* ierror) {
  get_name(ADCL_Request_get_fsname, req, name, ierror);
}

ADCL_F_API void adcl_f_request_set_name(const int* req, const CFI_cdesc_t* name, int* ierror) {
  call(ierror, [&] { return ADCL_Request_set_name(handle<ADCL_Request>(req), trimmed(name).c_str()); });
}

ADCL_F_API void adcl_f_request_get_functions_num(const int* req, int* num, int* ierror) {
  preset(num);
  call(ierror, [&] { return ADCL_Request_get_functions_num(handle<ADCL_Request>(req), num); });
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
    if (name == nullptr) {
      return ADCL_Request_get_statistics(request, *i - 1, nullptr, 0, measurements, mean_s, filtered_mean_s, outliers);
    }
    return fetch_text(name, [&](char* buffer, int size) {
      return ADCL_Request_get_statistics(request, *i - 1, buffer, size, measurements, mean_s, filtered_mean_s,
                                         outliers);
    });
  });
}

ADCL_F_API void adcl_f_request_get_comm(const int* req, MPI_Fint* comm, int* rank, int* size, int* ierror) {
  preset(rank, static_cast<int>(MPI_UNDEFINED));
  preset(size);
  call(ierror, [&] {
    MPI_Comm own = MPI_COMM_NULL;
    const int code = ADCL_Request_get_comm(handle<ADCL_Request>(req), &own, rank, size);
    if (comm != nullptr) {
      *comm = MPI_Comm_c2f(own);
    }
    return code;
  });
}

ADCL_F_API void adcl_f_request_get_vector(const int* req, int* svec, int* rvec, int* ierror) {
  call(ierror, [&] {
    ADCL_Vector sent = ADCL_VECTOR_NULL;
    ADCL_Vector received = ADCL_VECTOR_NULL;
    const int code = ADCL_Request_get_vector(handle<ADCL_Request>(req), &sent, &received);
    *svec = integer(sent);
    *rvec = integer(received);
    return code;
  });
}

ADCL_F_API void adcl_f_request_get_fields_num(const int* req, int* num, int* ierror) {
  preset(num);
  call(ierror, [&] { return ADCL_Request_get_fields_num(handle<ADCL_Request>(req), num); });
}

ADCL_F_API void adcl_f_request_get_field(const int* req, const int* i, int* svec, int* rvec, int* ierror) {
  call(ierror, [&] {
    ADCL_Vector sent = ADCL_VECTOR_NULL;
    ADCL_Vector received = ADCL_VECTOR_NULL;
    const int code = ADCL_Request_get_field(handle<ADCL_Request>(req), *i - 1, &sent, &received);
    *svec = integer(sent);
    *rvec = integer(received);
    return code;
  });
}

ADCL_F_API void adcl_f_request_get_attribute_values(const int* req, const int* n, const CFI_cdesc_t* values,
                                                    int* ierror) {
  call(ierror, [&] {
    const auto destinations = elements(values, *n, "ADCL_Request_get_attribute_values: values");
    std::vector<int> found(destinations.size());
    const int code = ADCL_Request_get_attribute_values(handle<ADCL_Request>(req), *n, found.data());
    if (code == ADCL_SUCCESS) {
      scatter(found, destinations);
    }
    return code;
  });
}

ADCL_F_API void adcl_f_request_save_status(const int* req, const int* n, const CFI_cdesc_t* measurements,
                                           const CFI_cdesc_t* mean_s, const CFI_cdesc_t* filtered_mean_s,
                                           const CFI_cdesc_t* outliers, int* ierror) {
  call(ierror, [&] {
    const auto measurements_out = elements(measurements, *n, "ADCL_Request_save_status: measurements");
    const auto mean_out = elements(mean_s, *n, "ADCL_Request_save_status: mean_s");
    const auto filtered_out = elements(filtered_mean_s, *n, "ADCL_Request_save_status: filtered_mean_s");
    const auto outliers_out = elements(outliers, *n, "ADCL_Request_save_status: outliers");
    Status status(mean_out.size());
    const int code =
        ADCL_Request_save_status(handle<ADCL_Request>(req), *n, status.measurements.data(), status.mean_s.data(),
                                 status.filtered_mean_s.data(), status.outliers.data());
    if (code == ADCL_SUCCESS) {
      scatter(status.measurements, measurements_out);
      scatter(status.mean_s, mean_out);
      scatter(status.filtered_mean_s, filtered_out);
      scatter(status.outliers, outliers_out);
    }
    return code;
  });
}

ADCL_F_API void adcl_f_request_restore_status(const int* req, const int* n, const CFI_cdesc_t* measurements,
                                              const CFI_cdesc_t* mean_s, const CFI_cdesc_t* filtered_mean_s,
                                              const CFI_cdesc_t* outliers, int* ierror) {
  call(ierror, [&] {
    const auto request = handle<ADCL_Request>(req);
    Status status(0);
    try {
      status.measurements = gather<int>(measurements, *n, "ADCL_Request_restore_status: measurements");
      status.mean_s = gather<double>(mean_s, *n, "ADCL_Request_restore_status: mean_s");
      status.filtered_mean_s = gather<double>(filtered_mean_s, *n, "ADCL_Request_restore_status: filtered_mean_s");
      status.outliers = gather<int>(outliers, *n, "ADCL_Request_restore_status: outliers");
    } catch (const Error& error) {
      fail_on_all_ranks(error,
                        [&] { return ADCL_Request_restore_status(request, *n, nullptr, nullptr, nullptr, nullptr); });
    }
    return ADCL_Request_restore_status(request, *n, status.measurements.data(), status.mean_s.data(),
                                       status.filtered_mean_s.data(), status.outliers.data());
  });
}
