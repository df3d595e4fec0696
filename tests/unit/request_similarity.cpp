// The application's distance between problems.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "request/function_set.hpp"

namespace adcl::runtime {
namespace {

TEST(ApplicationsDistance, ReceivesTheNewProblemFirst) {
  FunctionSetObject object;
  EXPECT_EQ(similarity_of(object), nullptr);
  object.similarity = [](int n, const char* const* names, const double* here, const double* there) {
    return n == 2 && std::string(names[1]) == "ranks" ? 10.0 * here[1] + there[1] : -1.0;
  };
  const std::vector<std::string> names{"bytes", "ranks"};
  EXPECT_EQ(similarity_of(object)(names, std::vector{8.0, 2.0}, std::vector{8.0, 4.0}), 24.0);
}

TEST(ApplicationsDistance, BecomesAnErrorIfItThrows) {
  FunctionSetObject object;
  object.similarity = [](int, const char* const*, const double*, const double*) -> double {
    throw std::runtime_error("no distance");
  };
  try {
    similarity_of(object)({}, {}, {});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::callback);
    EXPECT_NE(std::string(error.what()).find("no distance"), std::string::npos);
  }
}

}  // namespace
}  // namespace adcl::runtime
