#include "mpi/check.hpp"

#include <array>

#include "core/error.hpp"

namespace adcl::mpi {

void fail(int code, const char* call) {
  std::array<char, MPI_MAX_ERROR_STRING + 1> message{};
  int length = 0;
  if (MPI_Error_string(code, message.data(), &length) != MPI_SUCCESS) {
    length = 0;
  }
  const std::string description(message.data(), static_cast<std::size_t>(length));
  // Some libraries include the name of the call in their message.
  throw Error(Code::mpi,
              description.find(call) != std::string::npos ? description : text(call, " failed: ", description));
}

}  // namespace adcl::mpi
