/// \file allocated.hpp
/// Memory that C++ code has allocated: the library's memory without that of MPI libraries, which are written in C.
#pragma once

namespace bench {

/// Bytes of this process that operator new has returned and operator delete has not freed. In a simulator, which loads
/// programs after the C++ library (ADCL_SIMULATED), all bytes that malloc has returned.
double allocated_bytes();

}  // namespace bench
