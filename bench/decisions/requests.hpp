/// \file requests.hpp
/// Requests in programs that decide. An error ends the program.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/adcl_call.hpp"
#include "common/document.hpp"

namespace bench {

inline void set_option(const char* name, const std::string& value) {
  check(ADCL_Option_set(name, value.c_str()), "ADCL_Option_set");
}

inline void start(ADCL_Request request) { check(ADCL_Request_start(request), "ADCL_Request_start"); }

/// Frees \p request and returns its codelets.
inline std::vector<std::string> codelets_of(ADCL_Request request) {
  int count = 0;
  check(ADCL_Request_get_functions_num(request, &count), "ADCL_Request_get_functions_num");
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    std::array<char, ADCL_MAX_NAME> name{};
    check(ADCL_Request_get_statistics(request, i, name.data(), ADCL_MAX_NAME, nullptr, nullptr, nullptr, nullptr),
          "ADCL_Request_get_statistics");
    names.emplace_back(name.data());
  }
  check(ADCL_Request_free(&request), "ADCL_Request_free");
  return names;
}

inline bool settled(ADCL_Request request) {
  int state = 0;
  check(ADCL_Request_get_state(request, &state), "ADCL_Request_get_state");
  return state == ADCL_STATE_PRODUCTION;
}

/// The codelet of the last start.
inline std::string last_of(ADCL_Request request) {
  std::array<char, ADCL_MAX_NAME> name{};
  check(ADCL_Request_get_curr_function(request, name.data(), ADCL_MAX_NAME), "ADCL_Request_get_curr_function");
  return name.data();
}

/// The codelet of the last start, the winner so far, and whether the search is over.
inline Json decision_of(ADCL_Request request) {
  std::array<char, ADCL_MAX_NAME> winner{};
  check(ADCL_Request_get_winner(request, winner.data(), ADCL_MAX_NAME), "ADCL_Request_get_winner");
  return {{"last", last_of(request)}, {"winner", winner.data()}, {"settled", settled(request)}};
}

/// The largest value over all processes. Collective.
inline double slowest(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// The value of process 0. Collective.
inline double of_root(double value) {
  MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return value;
}

}  // namespace bench
