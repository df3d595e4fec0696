/// \file ledger.hpp
/// Which MPI objects this process has made and not yet freed: the test programs define the calls that make and free
/// them, and so stand between the library and MPI. Empty with SMPI, whose calls are macros.
#pragma once

#include <string>

namespace adcl::test {

/// "2 communicators, 1 datatype", or nothing. Objects that MPI made for itself do not count. Safe with threads.
std::string left_behind();

}  // namespace adcl::test
