/// \file problem.hpp
/// What is to be communicated, from the point of view of one rank: what a pattern tells the rest of the library. Pure.
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

/// Where the data of one field are. Both addresses are the same when a vector is sent from and received into.
struct FieldBuffers {
  const void* send = nullptr;
  void* receive = nullptr;
};

/// Where the data of one operation are, field by field. What it refers to stays until the operation is complete.
using Buffers = std::span<const FieldBuffers>;

/// One property of a problem: what problems are compared by, and what people are told of them.
struct Feature {
  std::string name;  ///< such as "bytes_out"; names end in the unit where there is one
  std::variant<double, std::string> value;
  std::string phrase{};  ///< what a description says of it, such as "6 messages out (96 points)"; empty: nothing
};
using Features = std::vector<Feature>;

/// What a rank says of its problem when a request is created. One reduction combines what all ranks say.
struct Statement {
  /// Hash of what all ranks must have in common. Where it differs, the request is not created.
  std::uint64_t common = 0;
  /// What that is, for the message, as a list that begins with a comma: ", the topology".
  const char* common_things = "";
  /// Hash of what ranks may differ in, but codelets must know of: Settlement::alike.
  std::uint64_t layout = 0;
  /// Numbers whose sums over all ranks, modulo 2^64, are zero when the ranks' problems fit together.
  std::array<std::uint64_t, 2> balances{};
  int tags = 0;  ///< how many tags the codelets use
  /// Like `common`, but with numbers of bytes instead of datatypes. Compared instead of `common` if a rank passes
  /// MPI_PACKED.
  std::uint64_t common_in_bytes = 0;
  enum class Packed : std::uint8_t {
    nowhere,
    somewhere,
    against_typed  ///< this rank sends MPI_PACKED to itself and receives another datatype, or the reverse
  };
  Packed packed = Packed::nowhere;  ///< where this rank passes MPI_PACKED
};

/// What the ranks have come to; the same on all of them.
struct Settlement {
  bool alike = true;  ///< Statement::layout is the same on all ranks
  int first_tag = 0;  ///< of `tags` tags of the communicator that no other request uses
  int tags = 0;       ///< the largest number that a rank has asked for
  std::int64_t request = 0;
  bool packed_against_typed = false;  ///< a rank passes MPI_PACKED where another one passes another datatype
};

/// Base of the problems of all patterns; a codelet knows which pattern its table serves.
///
/// A request is created in this order: the pattern makes the problem on each rank alone; state() goes into a reduction;
/// settle() takes what came out of it; where a balance is not zero, verify() finds out why.
class Problem {
 public:
  /// \p machine, null for a machine that does not matter, outlives the problem.
  explicit Problem(const Machine* machine = nullptr) : machine_(machine) {}
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  virtual ~Problem() = default;

  /// Hash of everything that makes two problems of this rank the same, in this run and in others: pattern, topology and
  /// its shape, counts, datatype, halo widths, nodes, MPI library and its version. Buffers and tags are not part of it.
  [[nodiscard]] std::uint64_t signature() const;

  /// Null for a machine that does not matter.
  [[nodiscard]] const Machine* runs_on() const noexcept { return machine_; }

  /// The properties by which problems are similar: the pattern's own, then the machine's.
  [[nodiscard]] Features features() const;

  /// One line for traces and reports, made of the features that have a phrase.
  [[nodiscard]] std::string describe() const;

  /// Whether the last bits of the result depend on the order in which values are combined. Local, and the same on all
  /// ranks that call the same operation.
  [[nodiscard]] virtual bool depends_on_order() const { return false; }

  /// A rank may complete operations before others have begun them: its times say little of what they cost. Local, and
  /// the same on all ranks.
  [[nodiscard]] virtual bool runs_ahead() const { return false; }

  /// For the reduction at creation. Local.
  [[nodiscard]] virtual Statement state() const = 0;
  /// What the ranks have agreed on, before anything but state() and what codelets say of the problem is asked. Local;
  /// throws nothing.
  virtual void settle(const Settlement& settlement) = 0;
  /// The sums of Statement::balances over all ranks are not all zero. Throws the same error on all ranks. Collective.
  virtual void verify(mpi::Context& context, const std::array<std::uint64_t, 2>& balances) const = 0;

 protected:
  /// Name of the pattern, such as "neighborhood".
  [[nodiscard]] virtual const char* pattern() const = 0;
  /// Adds everything that makes two problems of the pattern the same.
  virtual void identify(Hash& hash) const = 0;
  /// Adds the pattern's own features.
  virtual void tell(Features& features) const = 0;

 private:
  const Machine* machine_;
};

}  // namespace adcl
