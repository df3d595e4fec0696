/// \file ledger.hpp
/// Records the MPI objects that this process has created and not yet freed. Test programs define the calls that create
/// and free them, and so intercept the library's calls. Empty with SMPI, whose calls are macros.
#pragma once

#include <string>

namespace adcl::test {

/// "2 communicators, 1 datatype", or nothing. Ignores MPI's internal objects. Thread-safe.
std::string left_behind();

}  // namespace adcl::test
