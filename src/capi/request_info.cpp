// Queries and settings of a request.
#include <algorithm>
#include <span>

#include "ADCL.h"
#include "capi/guard.hpp"
#include "capi/registry.hpp"
#include "mpi/agreement.hpp"

namespace adcl::capi {
namespace {

using runtime::Request;

std::shared_ptr<Request> shared_request(ADCL_Request req) {
  require_initialized();
  return registry().requests.get(req, "req");
}

int candidate_count(const Request &request) { return static_cast<int>(request.group().subject().candidates.size()); }

void check_count(const Request &request, int n) {
  require(n == candidate_count(request), Code::argument, "n is ", n, "; this request has ", candidate_count(request),
          " candidates, as ADCL_Request_get_functions_num tells");
}

ADCL_Vector handle_of(const std::shared_ptr<data::Vector> &vector) {
  return to_handle<ADCL_Vector>(registry().vectors.handle_of(vector.get()));
}

void tell_field(const Request &request, int i, ADCL_Vector *svec, ADCL_Vector *rvec) {
  const auto &fields = request.parts().fields;
  require(i >= 0 && i < static_cast<int>(fields.size()), Code::argument, "i is ", i, "; this request has fields 0 to ",
          fields.size() - 1);
  const data::Field &field = fields[static_cast<std::size_t>(i)];
  if (svec != nullptr) {
    *svec = handle_of(field.send_vector);
  }
  if (rvec != nullptr) {
    *rvec = handle_of(field.receive_vector);
  }
}

std::vector<measure::Numbers> numbers_of(int n, const int *measurements, const double *mean_s,
                                         const double *filtered_mean_s, const int *outliers) {
  std::vector<measure::Numbers> numbers;
  for (int i = 0; i < n; ++i) {
    require(measurements[i] >= 0 && mean_s[i] >= 0.0 && filtered_mean_s[i] >= 0.0 && outliers[i] >= 0, Code::argument,
            "entry ", i, " is negative");
    numbers.push_back(
        {mean_s[i], filtered_mean_s[i], static_cast<double>(outliers[i]), static_cast<double>(measurements[i])});
  }
  return numbers;
}

}  // namespace
}  // namespace adcl::capi

using namespace adcl::capi;

extern "C" {

int ADCL_Request_get_state(ADCL_Request req, int *state) {
  return guard("ADCL_Request_get_state", [&] {
    const auto request = shared_request(req);
    require_pointer(state, "state");
    *state = request->decided() ? ADCL_STATE_PRODUCTION : ADCL_STATE_SEARCH;
  });
}

int ADCL_Request_get_curr_function(ADCL_Request req, char *name, int size) {
  return guard("ADCL_Request_get_curr_function",
               [&] { copy_text(shared_request(req)->current_codelet(), name, size, "name"); });
}

int ADCL_Request_get_winner(ADCL_Request req, char *name, int size) {
  return guard("ADCL_Request_get_winner", [&] { copy_text(shared_request(req)->winner(), name, size, "name"); });
}

int ADCL_Request_get_fsname(ADCL_Request req, char *name, int size) {
  return guard("ADCL_Request_get_fsname",
               [&] { copy_text(shared_request(req)->parts().set->set.name, name, size, "name"); });
}

int ADCL_Request_get_functions_num(ADCL_Request req, int *num) {
  return guard("ADCL_Request_get_functions_num", [&] {
    const auto request = shared_request(req);
    require_pointer(num, "num");
    *num = candidate_count(*request);
  });
}

int ADCL_Request_get_statistics(ADCL_Request req, int i, char *name, int size, int *measurements, double *mean_s,
                                double *filtered_mean_s, int *outliers) {
  return guard("ADCL_Request_get_statistics", [&] {
    const auto request = shared_request(req);
    adcl::require(i >= 0 && i < candidate_count(*request), adcl::Code::argument, "i is ", i,
                  "; this request has candidates 0 to ", candidate_count(*request) - 1);
    if (name != nullptr) {
      copy_text(request->group().subject().candidates[static_cast<std::size_t>(i)].name, name, size, "name");
    }
    const adcl::measure::Numbers numbers = request->numbers(adcl::runtime::Candidate{i});
    if (measurements != nullptr) {
      *measurements = static_cast<int>(numbers.measurements);
    }
    if (mean_s != nullptr) {
      *mean_s = numbers.mean_s;
    }
    if (filtered_mean_s != nullptr) {
      *filtered_mean_s = numbers.filtered_mean_s;
    }
    if (outliers != nullptr) {
      *outliers = static_cast<int>(numbers.outliers);
    }
  });
}

int ADCL_Request_get_comm(ADCL_Request req, MPI_Comm *comm, int *rank, int *size) {
  return guard("ADCL_Request_get_comm", [&] {
    const auto request = shared_request(req);
    const adcl::mpi::Context &context = request->context();
    if (comm != nullptr) {
      *comm = request->codelets_comm();
    }
    if (rank != nullptr) {
      *rank = context.rank();
    }
    if (size != nullptr) {
      *size = context.size();
    }
  });
}

int ADCL_Request_get_fields_num(ADCL_Request req, int *num) {
  return guard("ADCL_Request_get_fields_num", [&] {
    const auto request = shared_request(req);
    require_pointer(num, "num");
    *num = static_cast<int>(request->parts().fields.size());
  });
}

int ADCL_Request_get_field(ADCL_Request req, int i, ADCL_Vector *svec, ADCL_Vector *rvec) {
  return guard("ADCL_Request_get_field", [&] { tell_field(*shared_request(req), i, svec, rvec); });
}

int ADCL_Request_get_attribute_values(ADCL_Request req, int n, int *values) {
  return guard("ADCL_Request_get_attribute_values", [&] {
    const auto request = shared_request(req);
    const auto &all = request->attribute_values();
    adcl::require(n == static_cast<int>(all.size()), adcl::Code::argument, "n is ", n, "; the function set has ",
                  all.size(), " attributes");
    if (n > 0) {
      require_pointer(values, "values");
      std::copy(all.begin(), all.end(), values);
    }
  });
}

int ADCL_Request_set_name(ADCL_Request req, const char *name) {
  return guard("ADCL_Request_set_name", [&] {
    const auto request = shared_request(req);
    require_pointer(name, "name");
    const std::string word = name;
    adcl::require(!word.empty() && word.size() < ADCL_MAX_NAME, adcl::Code::argument, "name has ", word.size(),
                  " bytes; a name has 1 to ", ADCL_MAX_NAME - 1);
    request->set_name(word);
  });
}

int ADCL_Request_set_context(ADCL_Request req, void *context) {
  return guard("ADCL_Request_set_context", [&] { shared_request(req)->user_context = context; });
}

int ADCL_Request_get_context(ADCL_Request req, void **context) {
  return guard("ADCL_Request_get_context", [&] {
    const auto request = shared_request(req);
    require_pointer(static_cast<void *>(context), "context");
    *context = request->user_context;
  });
}

int ADCL_Request_save_status(ADCL_Request req, int n, int *measurements, double *mean_s, double *filtered_mean_s,
                             int *outliers) {
  return guard("ADCL_Request_save_status", [&] {
    const auto request = shared_request(req);
    check_count(*request, n);
    require_pointer(measurements, "measurements");
    require_pointer(mean_s, "mean_s");
    require_pointer(filtered_mean_s, "filtered_mean_s");
    require_pointer(outliers, "outliers");
    for (int i = 0; i < n; ++i) {
      const adcl::measure::Numbers numbers = request->numbers(adcl::runtime::Candidate{i});
      measurements[i] = static_cast<int>(numbers.measurements);
      mean_s[i] = numbers.mean_s;
      filtered_mean_s[i] = numbers.filtered_mean_s;
      outliers[i] = static_cast<int>(numbers.outliers);
    }
  });
}

int ADCL_Request_restore_status(ADCL_Request req, int n, const int *measurements, const double *mean_s,
                                const double *filtered_mean_s, const int *outliers) {
  return guard("ADCL_Request_restore_status", [&] {
    const auto request = shared_request(req);
    adcl::mpi::Context &context = request->context();
    std::vector<adcl::measure::Numbers> numbers(static_cast<std::size_t>(candidate_count(*request)));
    adcl::mpi::do_together(context, [&] {
      check_count(*request, n);
      require_pointer(measurements, "measurements");
      require_pointer(mean_s, "mean_s");
      require_pointer(filtered_mean_s, "filtered_mean_s");
      require_pointer(outliers, "outliers");
      numbers = numbers_of(n, measurements, mean_s, filtered_mean_s, outliers);
    });
    adcl::mpi::broadcast(context, std::as_writable_bytes(std::span(numbers)));
    request->prime(std::move(numbers));
  });
}

}  // extern "C"
