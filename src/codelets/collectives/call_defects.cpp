#include "codelets/collectives/call_defects.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace adcl::codelets {
namespace {

#ifdef SMPI_H
constexpr bool in_smpi = true;
#else
constexpr bool in_smpi = false;
#endif

/// True if \p machine runs one of \p libraries, such as "Open MPI 4; MPICH 4.0": a name and a version prefix of whole
/// numbers, or only a name.
bool runs(const Machine& machine, std::string_view libraries) {
  const std::string version = machine.version + ".";
  while (!libraries.empty()) {
    const std::string_view one = libraries.substr(0, libraries.find(';'));
    libraries.remove_prefix(std::min(one.size() + 2, libraries.size()));
    const std::size_t digit = one.find_first_of("0123456789");
    const std::string_view name = one.substr(0, digit == std::string_view::npos ? digit : digit - 1);
    const std::string begin = digit == std::string_view::npos ? "" : std::string(one.substr(digit)) + ".";
    if (machine.library == name && version.starts_with(begin)) {
      return true;
    }
  }
  return false;
}

bool is(const CollectiveProblem& problem, std::initializer_list<Operation> operations) {
  return std::find(operations.begin(), operations.end(), problem.operation) != operations.end();
}

bool any_offset(const Blocks& blocks) {
  return std::any_of(blocks.offsets.begin(), blocks.offsets.end(), [](std::int64_t offset) { return offset != 0; });
}

bool mixed(const Blocks& blocks) { return !blocks.types.empty() && blocks.type(0).mixed(); }

bool any_mixed(const Blocks& blocks) {
  return std::any_of(blocks.types.begin(), blocks.types.end(), [](const auto& entry) { return entry->mixed(); });
}

// Conditions of call_defects.def, in its order. All are local.

bool alltoallw_displaced_on_one(const CollectiveProblem& problem) {
  return problem.size == 1 && is(problem, {Operation::alltoallw}) &&
         (any_offset(problem.send) || any_offset(problem.receive));
}

bool allgatherv_displaced_on_one(const CollectiveProblem& problem) {
  return problem.size == 1 && is(problem, {Operation::allgatherv}) && any_offset(problem.receive);
}

/// Whether the problem is a commutative reduction over several ranks, of a datatype whose true lower bound is not 0.
bool off_address(const CollectiveProblem& problem) {
  return problem.size > 1 && problem.commutative && problem.send.type(0).true_lower_bound() != 0;
}

bool reduce_off_address(const CollectiveProblem& problem) {
  return is(problem, {Operation::reduce}) && off_address(problem);
}

bool allreduce_off_address(const CollectiveProblem& problem) {
  return is(problem, {Operation::allreduce}) && off_address(problem);
}

/// The library forwards packed blocks, and a rank receives them into entries of mixed sizes.
bool scatter_of_mixed(const CollectiveProblem& problem) {
  return problem.size > 1 && is(problem, {Operation::scatter}) && mixed(problem.receive);
}

bool gather_of_mixed(const CollectiveProblem& problem) {
  return problem.size > 1 && is(problem, {Operation::gather}) && mixed(problem.receive);
}

/// Entries of mixed sizes on one side or rank, and MPI_PACKED on another; agreed on when the request is created.
bool packed_against_mixed(const CollectiveProblem& problem) {
  return problem.packed_against_typed && problem.size > 1 && (any_mixed(problem.send) || any_mixed(problem.receive));
}

/// Ranks have different counts or extents for the same data; agreed on when the request is created.
bool allgatherv_of_unlike(const CollectiveProblem& problem) {
  return is(problem, {Operation::allgatherv}) && !problem.alike;
}

bool alltoall_in_place(const CollectiveProblem& problem) {
  return is(problem, {Operation::alltoallv, Operation::alltoallw}) && problem.in_place;
}

/// The defect occurs if the datatypes of a pair of ranks have different memory layouts.
bool alltoallw_in_place(const CollectiveProblem& problem) {
  return is(problem, {Operation::alltoallw}) && problem.in_place;
}

bool reduce_in_place_elsewhere(const CollectiveProblem& problem) {
  constexpr std::int64_t whole_bytes = 2048;
  return is(problem, {Operation::reduce}) && problem.in_place && problem.root != 0 &&
         problem.block_bytes() > whole_bytes;
}

bool reduce_scatter_with_gaps(const CollectiveProblem& problem) {
  return is(problem, {Operation::reduce_scatter, Operation::reduce_scatter_block}) && !problem.commutative &&
         !problem.send.type(0).dense() && std::has_single_bit(static_cast<unsigned>(problem.size));
}

bool reduce_with_gaps(const CollectiveProblem& problem) {
  return is(problem, {Operation::reduce, Operation::allreduce}) && problem.commutative && !problem.send.type(0).dense();
}

bool allgather_of_other_entries(const CollectiveProblem& problem) {
  return is(problem, {Operation::allgather}) && !problem.in_place && problem.send.count != problem.receive.count;
}

/// With most selectors of algorithms, SMPI then returns wrong blocks: with its default, from 16 ranks on.
bool alltoall_of_other_entries(const CollectiveProblem& problem) {
  return problem.size > 1 && is(problem, {Operation::alltoall}) && !problem.in_place &&
         problem.send.count != problem.receive.count;
}

struct CallDefect {
  enum Calls { blocking, nonblocking, both };
  bool (*condition)(const CollectiveProblem&);
  Calls calls;
  const char* libraries;
  const char* reason;
};

constexpr std::array call_defects{
#define ADCL_CALL_DEFECT(condition, program, argument, calls, libraries, reason) \
  CallDefect{&(condition), CallDefect::calls, libraries, reason},
#define ADCL_AVOIDED_DEFECT(name, program, argument, libraries, reason)
#include "codelets/collectives/call_defects.def"
#undef ADCL_CALL_DEFECT
#undef ADCL_AVOIDED_DEFECT
};

#define ADCL_CALL_DEFECT(condition, program, argument, calls, libraries, reason)
#define ADCL_AVOIDED_DEFECT(name, program, argument, libraries, reason) \
  constexpr auto libraries_with_##name = libraries;
#include "codelets/collectives/call_defects.def"
#undef ADCL_CALL_DEFECT
#undef ADCL_AVOIDED_DEFECT

std::optional<std::string> defect(const CollectiveProblem& problem, CallDefect::Calls calls) {
  for (const CallDefect& row : call_defects) {
    if ((row.calls == calls || row.calls == CallDefect::both) && runs(*problem.machine, row.libraries) &&
        row.condition(problem)) {
      return row.reason;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> defect_of_call(const CollectiveProblem& problem) {
  if (in_smpi && is(problem, {Operation::scan, Operation::exscan}) && !problem.commutative) {
    return "SimGrid SMPI (3.32) does not keep the order of the ranks in MPI_Scan and MPI_Exscan";
  }
  if (in_smpi && alltoall_of_other_entries(problem)) {
    return "SimGrid SMPI (3.32) mixes up the blocks of MPI_Alltoall if the sent and received datatypes differ in size";
  }
  return defect(problem, CallDefect::blocking);
}

std::optional<std::string> defect_of_nonblocking_call(const CollectiveProblem& problem) {
  if (in_smpi) {
    return "nonblocking collective calls of SimGrid SMPI (3.32) failed the conformance tests";
  }
  return defect(problem, CallDefect::nonblocking);
}

bool truncates_mixed_messages(const Machine& machine) { return runs(machine, libraries_with_mixed_messages); }

}  // namespace adcl::codelets
