/// \file allocated.hpp
/// What C++ code has allocated: the library's memory, and not that of an MPI library, which is written in C.
#pragma once

namespace bench {

/// Bytes that operator new has handed out and operator delete has not taken back, of this process. In a simulator,
/// which loads programs behind the C++ library (ADCL_SIMULATED), all that malloc has handed out.
double allocated_bytes();

}  // namespace bench
