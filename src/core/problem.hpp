/// \file problem.hpp
/// A communication problem from the point of view of one rank: the interface between a pattern and the rest of the
/// library. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/hash.hpp"

namespace adcl {

struct Machine;

namespace mpi {
class Context;
}

/// Addresses of the data of one field. Both are equal if the same vector is sent and received into.
struct FieldBuffers {
  const void* send = nullptr;
  void* receive = nullptr;
};

/// Addresses of the data of one operation, one entry per field. They must stay valid until the operation is complete.
using Buffers = std::span<const FieldBuffers>;

/// One property of a problem, for the comparison of problems and for reports.
struct Feature {
  std::string name;  ///< such as "bytes_out"; a name ends with the unit, if there is one
  std::variant<double, std::string> value;
  std::string phrase{};  ///< text for a description, such as "6 messages out (96 points)"; empty: none
};
using Features = std::vector<Feature>;

/// A rank's contribution to the reduction in which a request is created.
struct Statement {
  /// Hash of everything that must be equal on all ranks. If it differs, the request is not created.
  std::uint64_t common = 0;
  /// The properties in `common`, for the error message, as a list that begins with a comma: ", the topology".
  const char* common_things = "";
  /// Hash of properties that may differ between ranks, but that affect codelets: Settlement::alike.
  std::uint64_t layout = 0;
  /// Numbers whose sums over all ranks, modulo 2^64, are zero if the ranks' problems match.
  std::array<std::uint64_t, 2> balances{};
  int tags = 0;  ///< number of tags that the codelets use
  /// Like `common`, but with numbers of bytes instead of datatypes. It is compared instead of `common` if a rank passes
  /// MPI_PACKED.
  std::uint64_t common_in_bytes = 0;
  enum class Packed : std::uint8_t {
    nowhere,
    somewhere,
    against_typed  ///< this rank sends MPI_PACKED to itself and receives another datatype, or vice versa
  };
  Packed packed = Packed::nowhere;  ///< how this rank uses MPI_PACKED
};

/// Result of the reduction; the same on all ranks.
struct Settlement {
  bool alike = true;  ///< Statement::layout is the same on all ranks
  int first_tag = 0;  ///< first of `tags` tags of the communicator that no other request uses
  int tags = 0;       ///< the largest number of tags that a rank needs
  std::int64_t request = 0;
  bool packed_against_typed = false;  ///< a rank passes MPI_PACKED, another rank another datatype
};

/// Base class of the problems of all patterns. A codelet may cast it to the type of its table's pattern.
///
/// A request is created in this order: each rank creates the problem locally; state() enters a reduction; settle()
/// receives the result; if a balance is not zero, verify() finds the reason.
class Problem {
 public:
  /// \p machine must outlive the problem; null if the machine is irrelevant.
  explicit Problem(const Machine* machine = nullptr) : machine_(machine) {}
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  virtual ~Problem() = default;

  /// Hash of everything that identifies a problem of this rank, in this run and in others: pattern, topology and its
  /// shape, counts, datatype, halo widths, nodes, MPI library and its version. Buffers and tags are not included.
  [[nodiscard]] std::uint64_t signature() const;

  /// The machine; null if it is irrelevant.
  [[nodiscard]] const Machine* runs_on() const noexcept { return machine_; }

  /// The features that define similar problems: first the pattern's, then the machine's.
  [[nodiscard]] Features features() const;

  /// One line for traces and reports, composed of the features that have a phrase.
  [[nodiscard]] std::string describe() const;

  /// Whether the last bits of the result depend on the order in which values are combined. Local, and the same on all
  /// ranks that call the same operation.
  [[nodiscard]] virtual bool depends_on_order() const { return false; }

  /// Whether a rank may complete operations before other ranks have started them; its times then do not reflect their
  /// cost. Local, and the same on all ranks.
  [[nodiscard]] virtual bool runs_ahead() const { return false; }

  /// The contribution to the reduction at creation. Local.
  [[nodiscard]] virtual Statement state() const = 0;
  /// Receives the result of the reduction. Before this call, only state() and codelets' applicability may be used.
  /// Local; does not throw.
  virtual void settle(const Settlement& settlement) = 0;
  /// Called if the sums of Statement::balances over all ranks are not all zero. Throws the same error on all ranks.
  /// Collective.
  virtual void verify(mpi::Context& context, const std::array<std::uint64_t, 2>& balances) const = 0;

 protected:
  /// Name of the pattern, such as "neighborhood".
  [[nodiscard]] virtual const char* pattern() const = 0;
  /// Adds everything that identifies a problem of the pattern.
  virtual void identify(Hash& hash) const = 0;
  /// Adds the pattern's features.
  virtual void add_features(Features& features) const = 0;

 private:
  const Machine* machine_;
};

}  // namespace adcl
