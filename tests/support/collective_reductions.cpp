// The reductions of random collectives, as operations of MPI and as arithmetic.
#include <algorithm>
#include <array>
#include <cstring>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "support/collective_model.hpp"

namespace adcl::test {
namespace {

/// Layout of the entries that the application's reductions take.
EntryKind reduced_kind{{0}, 4};

/// Applies \p combine(left integers, right integers) to the entries that MPI passes to an operation.
template <typename Combine>
void for_entries(void* left, void* right, const int* count, const Combine& combine) {
  auto* from = static_cast<std::byte*>(left);
  auto* into = static_cast<std::byte*>(right);
  const auto n = static_cast<std::size_t>(reduced_kind.ints());
  for (int e = 0; e < *count; ++e) {
    std::vector<std::uint32_t> a(n);
    std::vector<std::uint32_t> b(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t place = reduced_kind.place(static_cast<std::int64_t>(i) + e * static_cast<std::int64_t>(n));
      std::memcpy(&a[i], from + place, sizeof(std::uint32_t));
      std::memcpy(&b[i], into + place, sizeof(std::uint32_t));
    }
    combine(a, b);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t place = reduced_kind.place(static_cast<std::int64_t>(i) + e * static_cast<std::int64_t>(n));
      std::memcpy(into + place, &b[i], sizeof(std::uint32_t));
    }
  }
}

/// Composes functions x -> a x + b, the left function first; not commutative.
void chain(const std::vector<std::uint32_t>& left, std::vector<std::uint32_t>& right) {
  right[1] = left[1] * right[0] + right[1];
  right[0] = left[0] * right[0];
}

void add(const std::vector<std::uint32_t>& left, std::vector<std::uint32_t>& right) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    right[i] += left[i];
  }
}

extern "C" void chain_entries(void* left, void* right, int* count, MPI_Datatype* /*type*/) {
  for_entries(left, right, count, chain);
}
extern "C" void add_entries(void* left, void* right, int* count, MPI_Datatype* /*type*/) {
  for_entries(left, right, count, add);
}

/// The noncommutative and the commutative operation.
std::array<MPI_Op, 2> user_ops{MPI_OP_NULL, MPI_OP_NULL};

MPI_Op user_op(bool commutative) {
  MPI_Op& op = user_ops.at(commutative ? 1 : 0);
  if (op == MPI_OP_NULL) {
    mpi::check(MPI_Op_create(commutative ? &add_entries : &chain_entries, commutative ? 1 : 0, &op), "MPI_Op_create");
  }
  return op;
}

}  // namespace

void reduce_into(int reduction, const Values& left, Values& right) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    switch (reduction) {
      case sum:
      case user_sum:
        right[i] += left[i];
        break;
      case maximum:
        right[i] = std::max(left[i], right[i]);
        break;
      case exclusive_or:
        right[i] ^= left[i];
        break;
      default:
        if (i % 2 == 0) {
          right[i + 1] = left[i + 1] * right[i] + right[i + 1];
          right[i] = left[i] * right[i];
        }
        break;
    }
  }
}

MPI_Op operation_of(int reduction, const EntryKind& kind) {
  reduced_kind = kind;
  switch (reduction) {
    case sum:
      return MPI_SUM;
    case maximum:
      return MPI_MAX;
    case exclusive_or:
      return MPI_BXOR;
    default:
      return user_op(reduction == user_sum);
  }
}

void free_operations() {
  for (MPI_Op& op : user_ops) {
    if (op != MPI_OP_NULL) {
      mpi::check(MPI_Op_free(&op), "MPI_Op_free");
    }
  }
}

}  // namespace adcl::test
