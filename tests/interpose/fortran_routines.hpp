/// \file fortran_routines.hpp
/// The Fortran routines of routines.def, which the interposer exports, and their arguments.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <utility>

#include "interpose/fortran_section.hpp"
#include "profile/calls.hpp"

#ifdef ADCL_TEST_STANDARD_ABI
// The standard ABI converts handles with MPI_*_toint and MPI_*_fromint instead of MPI_*_c2f and MPI_*_f2c.
using MPI_Fint = int;
#define MPI_Comm_c2f MPI_Comm_toint
#define MPI_Type_c2f MPI_Type_toint
#define MPI_Op_c2f MPI_Op_toint
#define PMPI_Comm_f2c PMPI_Comm_fromint
#define PMPI_Type_f2c PMPI_Type_fromint
#define PMPI_Op_f2c PMPI_Op_fromint
#endif

namespace adcl::test {

using interpose::Descriptor;
using profile::Call;

inline constexpr int most_arguments = 12;
/// Addresses of the arguments of a Fortran routine.
using Arguments = void* [most_arguments];

enum class Choice { address, descriptor };

template <typename Function>
struct Routine;
template <typename... Types>
struct Routine<void(Types...)> {
  static constexpr std::size_t arguments = sizeof...(Types);
};

/// Calls a Fortran routine.
template <typename Function, std::size_t... index>
void call_routine(Function* function, const Arguments& a, std::index_sequence<index...> /*all*/) {
  function(a[index]...);
}

/// Whether the test checks the results of a call; for all other calls, it checks only that they are counted.
constexpr bool has_results(Call call) {
  return call == Call::Allgather || call == Call::Allreduce || call == Call::Alltoall || call == Call::Bcast ||
         call == Call::Gather || call == Call::Reduce || call == Call::Reduce_scatter_block || call == Call::Scatter;
}

/// Position of the second buffer of a call that has_results.
constexpr int second_buffer(Call call) {
  return call == Call::Allreduce || call == Call::Reduce || call == Call::Reduce_scatter_block ? 1 : 3;
}

}  // namespace adcl::test

// Expands ADCL_COLLECTIVE for the collective routines.
#define ADCL_TEST_p2p(...)
#define ADCL_TEST_wait(...)
#define ADCL_TEST_one_sided(...)
#define ADCL_TEST_collective(...) ADCL_COLLECTIVE(__VA_ARGS__)
#define ADCL_ROUTINE(kind, ...) ADCL_TEST_##kind(__VA_ARGS__)

#define ADCL_COLLECTIVE(id, symbol, count, choice, parameters, ...) extern "C" void symbol parameters;
#include "routines.def"
#undef ADCL_COLLECTIVE
