#include "core/error.hpp"

#include <array>
#include <cstddef>

namespace adcl {

const char* describe(int code) noexcept {
  constexpr std::array descriptions{
      // in the order of Code
      "success",
      "a value that the call cannot accept",
      "a handle that is null, freed, uninitialized or of another type",
      "an MPI datatype that is null or not committed",
      "a call at the wrong time",
      "the ranks of the communicator contradict each other",
      "an unknown option or a value out of its range",
      "out of memory",
      "a call of the MPI library failed",
      "a limit of the library or of the MPI library",
      "the library is not initialized",
      "a file or folder that cannot be used",
      "no codelet is left for this problem",
      "a defect of ADCL itself",
      "a function of the application threw an exception",
  };
  return code >= 0 && static_cast<std::size_t>(code) < descriptions.size()
             ? descriptions[static_cast<std::size_t>(code)]
             : "not a result code of ADCL";
}

}  // namespace adcl
