// ADCL_v1_Request_get_*, _save_status, _restore_status: queries of a request.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "capi/objects.hpp"
#include "capi/v1/codes.hpp"

namespace adcl::capi::v1 {
namespace {

using runtime::Candidate;
using runtime::Request;

/// Allocates an array for the caller, who releases it with free().
template <typename Value>
Value* caller_array(std::size_t n) {
  auto* const array = static_cast<Value*>(std::calloc(n > 0 ? n : 1, sizeof(Value)));
  if (array == nullptr) {
    throw std::bad_alloc();
  }
  return array;
}

char* caller_text(const std::string& text) {
  char* const copy = caller_array<char>(text.size() + 1);
  text.copy(copy, text.size());
  return copy;
}

char** caller_texts(const std::vector<std::string>& texts) {
  char** const copies = caller_array<char*>(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    copies[i] = caller_text(texts[i]);
  }
  return copies;
}

std::string name_of_value(const Attribute& attribute, int value) {
  const AttributeValue* const found = attribute.find(value);
  return found != nullptr ? found->name : "not applicable";
}

std::vector<measure::Numbers> numbers_of(const Request& request) {
  std::vector<measure::Numbers> numbers;
  const int n = static_cast<int>(request.group().subject().candidates.size());
  for (int i = 0; i < n; ++i) {
    numbers.push_back(request.numbers(Candidate{i}));
  }
  return numbers;
}

/// Returns the index of the fastest codelet; -1 if nothing was measured.
int fastest(const std::vector<measure::Numbers>& numbers) {
  const auto best = std::ranges::min_element(numbers, {}, [](const measure::Numbers& one) {
    return one.measurements > 0 ? one.filtered_mean_s : std::numeric_limits<double>::infinity();
  });
  return best != numbers.end() && best->measurements > 0 ? static_cast<int>(best - numbers.begin()) : -1;
}

template <typename Body>
int query(const char* call, ADCL_Request req, const Body& body) {
  return v1_code(with_request(call, req, body), ADCL_INVALID_REQUEST);
}

}  // namespace
}  // namespace adcl::capi::v1

using namespace adcl;
using namespace adcl::capi;
using namespace adcl::capi::v1;

extern "C" {

int ADCL_v1_Request_get_comm(ADCL_Request req, MPI_Comm* comm, int* rank, int* size) {
  return v1_code(ADCL_Request_get_comm(req, comm, rank, size), ADCL_INVALID_REQUEST);
}

int ADCL_v1_Request_get_fsname(ADCL_Request req, char** name) {
  return query("ADCL_Request_get_fsname", req, [&](const runtime::Request& request) {
    require_pointer(name, "name");
    *name = caller_text(request.parts().set->set.name);
  });
}

int ADCL_v1_Request_get_state(ADCL_Request req, int* state) {
  return v1_code(ADCL_Request_get_state(req, state), ADCL_INVALID_REQUEST);
}

int ADCL_v1_Request_get_tndims(ADCL_Request req, int* tndims) {
  return query("ADCL_Request_get_tndims", req, [&](const runtime::Request& request) {
    const auto& topology = request.parts().topology;
    store(tndims, "tndims", topology != nullptr ? topology->neighborhood.ndims : 0);
  });
}

int ADCL_v1_Request_get_curr_function(ADCL_Request req, char** name, char*** attr_names, int* nattrs,
                                      char*** value_names, int** values) {
  return query("ADCL_Request_get_curr_function", req, [&](const runtime::Request& request) {
    const std::vector<int>& current = request.attribute_values();
    const auto& attributes = request.parts().set->set.attributes;
    std::vector<std::string> names;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < current.size(); ++i) {
      names.push_back(attributes[i].name);
      words.push_back(name_of_value(attributes[i], current[i]));
    }
    if (name != nullptr) {
      *name = caller_text(request.current_codelet());
    }
    if (attr_names != nullptr) {
      *attr_names = caller_texts(names);
    }
    store_optional(nattrs, static_cast<int>(current.size()));
    if (value_names != nullptr) {
      *value_names = caller_texts(words);
    }
    if (values != nullptr) {
      *values = caller_array<int>(current.size());
      std::copy(current.begin(), current.end(), *values);
    }
  });
}

int ADCL_v1_Request_get_winner_stat(ADCL_Request req, double* filtered_avg, double* unfiltered_avg, double* outliers) {
  return query("ADCL_Request_get_winner_stat", req, [&](const runtime::Request& request) {
    const std::string winner = request.winner();
    require(
        !winner.empty(), Code::state,
        "the request has no winner yet; ADCL_Request_get_state returns ADCL_STATE_PRODUCTION once there is a winner");
    const auto& candidates = request.group().subject().candidates;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].name == winner) {
        const measure::Numbers numbers = request.numbers(runtime::Candidate{static_cast<int>(i)});
        store_optional(filtered_avg, numbers.filtered_mean_s);
        store_optional(unfiltered_avg, numbers.mean_s);
        store_optional(outliers, numbers.outliers);
      }
    }
  });
}

int ADCL_v1_Request_save_status(ADCL_Request req, int* n, double** unfiltered_avg, double** filtered_avg,
                                double** outliers, int* winner) {
  return query("ADCL_Request_save_status", req, [&](const runtime::Request& request) {
    require_pointer(n, "n");
    require_pointer(unfiltered_avg, "unfiltered_avg");
    require_pointer(filtered_avg, "filtered_avg");
    require_pointer(outliers, "outliers");
    const auto numbers = numbers_of(request);
    *n = static_cast<int>(numbers.size());
    *unfiltered_avg = caller_array<double>(numbers.size());
    *filtered_avg = caller_array<double>(numbers.size());
    *outliers = caller_array<double>(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      (*unfiltered_avg)[i] = numbers[i].mean_s;
      (*filtered_avg)[i] = numbers[i].filtered_mean_s;
      (*outliers)[i] = numbers[i].outliers;
    }
    store_optional(winner, fastest(numbers));
  });
}

int ADCL_v1_Request_restore_status(ADCL_Request req, int n, const double* unfiltered_avg, const double* filtered_avg,
                                   const double* outliers) {
  std::vector<int> measured(n > 0 ? static_cast<std::size_t>(n) : 0);
  std::vector<int> counted(measured.size());
  // A codelet counts as measured if it has a time, because 1.x did not store the number of measurements.
  const int code = guard("ADCL_Request_restore_status", [&] {
    const auto words = to_number(registry().option("ADCL_MEASUREMENTS"));
    for (std::size_t i = 0; i < measured.size() && unfiltered_avg != nullptr && outliers != nullptr; ++i) {
      measured[i] = unfiltered_avg[i] > 0.0 ? static_cast<int>(words.value_or(1.0)) : 0;
      counted[i] = static_cast<int>(outliers[i]);
    }
  });
  if (code != ADCL_SUCCESS) {
    return v1_code(code, ADCL_INVALID_REQUEST);
  }
  return v1_code(
      ADCL_Request_restore_status(req, n, outliers != nullptr && unfiltered_avg != nullptr ? measured.data() : nullptr,
                                  unfiltered_avg, filtered_avg, outliers != nullptr ? counted.data() : nullptr),
      ADCL_INVALID_REQUEST);
}

}  // extern "C"
