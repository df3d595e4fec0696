// Queries and settings of a request.
#include <algorithm>
#include <span>

#include "ADCL.h"
#include "capi/objects.hpp"
#include "mpi/agreement.hpp"

namespace adcl::capi {
namespace {

using runtime::Request;

int candidate_count(const Request &request) { return static_cast<int>(request.group().subject().candidates.size()); }

/// Checks the arguments of ADCL_Request_save_status and ADCL_Request_restore_status.
void check_arrays(const Request &request, int n, const int *measurements, const double *mean_s,
                  const double *filtered_mean_s, const int *outliers) {
  require(n == candidate_count(request), Code::argument, "n is ", n, "; this request has ", candidate_count(request),
          " candidates (ADCL_Request_get_functions_num)");
  require_pointer(measurements, "measurements");
  require_pointer(mean_s, "mean_s");
  require_pointer(filtered_mean_s, "filtered_mean_s");
  require_pointer(outliers, "outliers");
}

std::vector<measure::Numbers> numbers_of(const Request &request, int n, const int *measurements, const double *mean_s,
                                         const double *filtered_mean_s, const int *outliers) {
  check_arrays(request, n, measurements, mean_s, filtered_mean_s, outliers);
  std::vector<measure::Numbers> numbers;
  for (int i = 0; i < n; ++i) {
    require(measurements[i] >= 0 && mean_s[i] >= 0.0 && filtered_mean_s[i] >= 0.0 && outliers[i] >= 0, Code::argument,
            "entry ", i,
            " of measurements, mean_s, filtered_mean_s or outliers is negative; pass the values that "
            "ADCL_Request_save_status returned");
    numbers.push_back(
        {mean_s[i], filtered_mean_s[i], static_cast<double>(outliers[i]), static_cast<double>(measurements[i])});
  }
  return numbers;
}

}  // namespace
}  // namespace adcl::capi

using namespace adcl;
using namespace adcl::capi;

extern "C" {

int ADCL_Request_get_state(ADCL_Request req, int *state) {
  return with_request(__func__, req, [&](const Request &request) {
    store(state, "state", request.decided() ? ADCL_STATE_PRODUCTION : ADCL_STATE_SEARCH);
  });
}

int ADCL_Request_get_curr_function(ADCL_Request req, char *name, int size) {
  return with_request(__func__, req,
                      [&](const Request &request) { copy_text(request.current_codelet(), name, size, "name"); });
}

int ADCL_Request_get_winner(ADCL_Request req, char *name, int size) {
  return with_request(__func__, req, [&](const Request &request) { copy_text(request.winner(), name, size, "name"); });
}

int ADCL_Request_get_fsname(ADCL_Request req, char *name, int size) {
  return with_request(__func__, req,
                      [&](const Request &request) { copy_text(request.parts().set->set.name, name, size, "name"); });
}

int ADCL_Request_get_functions_num(ADCL_Request req, int *num) {
  return with_request(__func__, req, [&](const Request &request) { store(num, "num", candidate_count(request)); });
}

int ADCL_Request_get_statistics(ADCL_Request req, int i, char *name, int size, int *measurements, double *mean_s,
                                double *filtered_mean_s, int *outliers) {
  return with_request(__func__, req, [&](const Request &request) {
    require(i >= 0 && i < candidate_count(request), Code::argument, "i is ", i, "; this request has candidates 0 to ",
            candidate_count(request) - 1);
    if (name != nullptr) {
      copy_text(request.group().subject().candidates[static_cast<std::size_t>(i)].name, name, size, "name");
    }
    const measure::Numbers numbers = request.numbers(runtime::Candidate{i});
    store_optional(measurements, static_cast<int>(numbers.measurements));
    store_optional(mean_s, numbers.mean_s);
    store_optional(filtered_mean_s, numbers.filtered_mean_s);
    store_optional(outliers, static_cast<int>(numbers.outliers));
  });
}

int ADCL_Request_get_comm(ADCL_Request req, MPI_Comm *comm, int *rank, int *size) {
  return with_request(__func__, req, [&](Request &request) {
    if (comm != nullptr) {
      *comm = request.codelets_comm();
    }
    store_optional(rank, request.context().rank());
    store_optional(size, request.context().size());
  });
}

int ADCL_Request_get_fields_num(ADCL_Request req, int *num) {
  return with_request(__func__, req, [&](const Request &request) {
    store(num, "num", static_cast<int>(request.parts().fields.size()));
  });
}

int ADCL_Request_get_field(ADCL_Request req, int i, ADCL_Vector *svec, ADCL_Vector *rvec) {
  return with_request(__func__, req, [&](const Request &request) {
    const auto &fields = request.parts().fields;
    require(i >= 0 && i < static_cast<int>(fields.size()), Code::argument, "i is ", i,
            "; this request has fields 0 to ", fields.size() - 1);
    const data::Field &field = fields[static_cast<std::size_t>(i)];
    store_optional(svec, registry().vectors.handle_of(field.send_vector.get()));
    store_optional(rvec, registry().vectors.handle_of(field.receive_vector.get()));
  });
}

int ADCL_Request_get_attribute_values(ADCL_Request req, int n, int *values) {
  return with_request(__func__, req, [&](const Request &request) {
    const auto &all = request.attribute_values();
    require(n == static_cast<int>(all.size()), Code::argument, "n is ", n, "; the function set has ", all.size(),
            " attributes");
    if (n > 0) {
      require_pointer(values, "values");
      std::copy(all.begin(), all.end(), values);
    }
  });
}

int ADCL_Request_set_name(ADCL_Request req, const char *name) {
  return with_request(__func__, req, [&](Request &request) {
    require_pointer(name, "name");
    const std::string word = name;
    require(!word.empty() && word.size() < ADCL_MAX_NAME, Code::argument, "name has ", word.size(),
            " bytes; a name has 1 to ", ADCL_MAX_NAME - 1);
    request.set_name(word);
  });
}

int ADCL_Request_set_context(ADCL_Request req, void *context) {
  return with_request(__func__, req, [&](Request &request) { request.user_context = context; });
}

int ADCL_Request_get_context(ADCL_Request req, void **context) {
  return with_request(__func__, req, [&](const Request &request) { store(context, "context", request.user_context); });
}

int ADCL_Request_save_status(ADCL_Request req, int n, int *measurements, double *mean_s, double *filtered_mean_s,
                             int *outliers) {
  return with_request(__func__, req, [&](const Request &request) {
    check_arrays(request, n, measurements, mean_s, filtered_mean_s, outliers);
    for (int i = 0; i < n; ++i) {
      const measure::Numbers numbers = request.numbers(runtime::Candidate{i});
      measurements[i] = static_cast<int>(numbers.measurements);
      mean_s[i] = numbers.mean_s;
      filtered_mean_s[i] = numbers.filtered_mean_s;
      outliers[i] = static_cast<int>(numbers.outliers);
    }
  });
}

int ADCL_Request_restore_status(ADCL_Request req, int n, const int *measurements, const double *mean_s,
                                const double *filtered_mean_s, const int *outliers) {
  return with_request(__func__, req, [&](Request &request) {
    std::vector<adcl::measure::Numbers> numbers(static_cast<std::size_t>(candidate_count(request)));
    adcl::mpi::run_collectively(request.context().comm(), [&] {
      numbers = numbers_of(request, n, measurements, mean_s, filtered_mean_s, outliers);
    });
    adcl::mpi::broadcast(request.context(), std::as_writable_bytes(std::span(numbers)));
    request.prime(std::move(numbers));
  });
}

}  // extern "C"
