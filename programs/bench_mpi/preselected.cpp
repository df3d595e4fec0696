#include "preselected.hpp"

namespace adcl::bench {
namespace {

/// The reason for one codelet in the library's message about all codelets, "...; NAME: REASON; ...".
std::string reason_of(const std::string& codelet, const std::string& message) {
  const std::string key = " " + codelet + ": ";
  const std::size_t found = message.find(key);
  if (found == std::string::npos) {
    return message;
  }
  const std::size_t begin = found + key.size();
  return message.substr(begin, message.find(';', begin) - begin);
}

}  // namespace

void check(int code) {
  if (code != ADCL_SUCCESS) {
    throw MeasurementError(ADCL_Last_error());
  }
}

ADCL_Request preselected(const std::string& set, const std::string& codelet,
                         const std::function<int(ADCL_Request*)>& init) {
  int initialized = 0;
  ADCL_Initialized(&initialized);
  if (initialized == 0) {
    check(ADCL_Init());
  }
  check(ADCL_Option_set("ADCL_CODELETS", codelet.empty() ? "" : (set + ":" + codelet).c_str()));
  ADCL_Request request = ADCL_REQUEST_NULL;
  const int code = init(&request);
  if (code == ADCL_ERR_NO_CODELET) {
    throw NotApplicable(reason_of(codelet, ADCL_Last_error()));
  }
  check(code);
  return request;
}

}  // namespace adcl::bench
