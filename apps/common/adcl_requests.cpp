#include "common/adcl_requests.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace apps {

void check(int code) {
  if (code != ADCL_SUCCESS) {
    throw std::runtime_error(std::string("ADCL: ") + ADCL_Error_string(code) + ": " + ADCL_Last_error());
  }
}

bool is_searching(ADCL_Request request) {
  int state = ADCL_STATE_SEARCH;
  check(ADCL_Request_get_state(request, &state));
  return state == ADCL_STATE_SEARCH;
}

Tuning tuning_of(std::span<const ADCL_Request> requests) {
  Tuning result;
  std::array<char, ADCL_MAX_NAME> name{};
  const int size = static_cast<int>(name.size());
  check(ADCL_Option_get("ADCL_SEARCH", name.data(), size));
  result.search = name.data();
  result.production = std::none_of(requests.begin(), requests.end(), is_searching);
  ADCL_Request request = requests.front();
  check(ADCL_Request_get_winner(request, name.data(), size));
  result.winner = name.data();
  int candidates = 0;
  check(ADCL_Request_get_functions_num(request, &candidates));
  for (int i = 0; i < candidates; ++i) {
    Candidate candidate;
    check(ADCL_Request_get_statistics(request, i, name.data(), size, &candidate.measurements, &candidate.mean_s,
                                      &candidate.filtered_mean_s, nullptr));
    candidate.name = name.data();
    result.candidates.push_back(candidate);
  }
  return result;
}

}  // namespace apps
