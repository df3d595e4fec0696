#include "core/error.hpp"

namespace adcl {

const char* describe(int code) noexcept {
  switch (static_cast<Code>(code)) {
    case Code::success:
      return "success";
    case Code::argument:
      return "a value that the call cannot accept";
    case Code::handle:
      return "a handle that is null, freed, uninitialized or of another type";
    case Code::type:
      return "an MPI datatype that is null or not committed";
    case Code::state:
      return "a call at the wrong time";
    case Code::mismatch:
      return "the ranks of the communicator contradict each other";
    case Code::option:
      return "an unknown option or a value out of its range";
    case Code::memory:
      return "out of memory";
    case Code::mpi:
      return "a call of the MPI library failed";
    case Code::unsupported:
      return "a limit of the library or of the MPI library";
    case Code::not_initialized:
      return "the library is not initialized";
    case Code::file:
      return "a file or folder that cannot be used";
    case Code::no_codelet:
      return "no codelet is left for this problem";
    case Code::internal:
      return "a defect of ADCL itself";
    case Code::callback:
      return "a function of the application threw an exception";
  }
  return "not a result code of ADCL";
}

}  // namespace adcl
