#include "request/user_call.hpp"

#include <exception>

namespace adcl::runtime {
namespace {

struct Reported {
  Code code = Code::success;
  std::string message;
};

Reported& last_reported() {
  thread_local Reported reported;
  return reported;
}

}  // namespace

constinit thread_local unsigned reported_failures = 0;

void report_failure(Code code, const char* message) {
  last_reported() = {code, message};
  ++reported_failures;
}

Error reported_failure(const std::string& function) {
  const Reported& reported = last_reported();
  return {reported.code, text(function, " reported: ", reported.message), true};
}

Error thrown_failure(const std::string& function) {
  try {
    throw;
  } catch (const std::exception& error) {
    return {Code::callback, text(function, " threw an exception: ", error.what())};
  } catch (...) {
    return {Code::callback, text(function, " threw an exception that is not a std::exception")};
  }
}

}  // namespace adcl::runtime
