/// \file schedule.hpp
/// The schedule of one rank in a collective operation, round by round. An algorithm creates it once, with the plan; the
/// plan executes it at each start.
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/collectives/collective_problem.hpp"

namespace adcl::codelets {

/// A message, or a piece of work on this rank's own memory.
struct Step {
  enum class Kind {
    send,     ///< `from` to `peer`
    receive,  ///< `to` from `peer`
    copy,     ///< `from` to `to`, which have the same signature
    combine   ///< `to` = `from` op `to`, entry by entry
  };
  Kind kind = Kind::copy;
  int peer = 0;
  Piece from{};
  Piece to{};
};

/// Concurrent messages, then local work, in order. A round ends when both are complete.
struct Round {
  std::vector<Step> receives;
  std::vector<Step> sends;
  std::vector<Step> work;
  [[nodiscard]] bool empty() const noexcept { return receives.empty() && sends.empty() && work.empty(); }
};

/// Builds the schedule of one rank. Omits messages without data, on both sides, and copies to the same place.
class Script {
 public:
  /// While an object of this class exists, steps are added for a subset of the ranks: ranks are indices into
  /// \p members, which contain this rank, and the first member is the root. The numbering of blocks does not change.
  class Among {
   public:
    Among(Script& script, std::vector<int> members);
    ~Among();
    Among(const Among&) = delete;
    Among& operator=(const Among&) = delete;

   private:
    Script& script_;
  };

  /// Adds the steps that every algorithm needs; for example, an in-place all-to-all saves its input.
  explicit Script(const CollectiveProblem& problem);

  [[nodiscard]] const CollectiveProblem& problem() const noexcept { return problem_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] int root() const noexcept { return root_; }
  /// Converts between ranks and ranks counted from the root.
  [[nodiscard]] int from_root(int rank) const noexcept { return (rank - root() + size()) % size(); }
  [[nodiscard]] int rank_at(int from_root) const noexcept { return (from_root + root()) % size(); }
  /// The rank \p steps after this rank, cyclically; negative: before it.
  [[nodiscard]] int around(int steps) const noexcept { return ((rank() + steps) % size() + size()) % size(); }

  /// The block that this rank sends to \p rank in an all-to-all, or as the root of a scatter.
  [[nodiscard]] Piece out(int rank) const;
  /// The block that this rank receives from \p rank in a gather or an all-to-all.
  [[nodiscard]] Piece in(int rank) const { return problem_.receive.block(Place::receive, rank); }
  /// The input of this rank for a gather; if in place, it is at the location of the result.
  [[nodiscard]] Piece own() const;
  /// The data that this rank receives in a broadcast or a scatter.
  [[nodiscard]] Piece result() const { return problem_.receive.block(Place::receive, 0); }
  /// The input of this rank for a reduction: all entries, or the entries whose result \p rank receives.
  [[nodiscard]] Piece input() const;
  [[nodiscard]] Piece input_of(int rank) const;
  /// For a reduce-scatter: number of result entries of all ranks before \p rank; size() gives the total.
  [[nodiscard]] std::int64_t entries_before(int rank) const;

  /// Allocates scratch memory for \p bytes packed bytes.
  Piece scratch(std::int64_t bytes);
  /// Allocates scratch memory for the number of entries of \p piece, with its type.
  Piece scratch_like(const Piece& piece);

  void send(int peer, const Piece& piece);
  void receive(int peer, const Piece& piece);
  /// Messages without data: one rank sends a signal, another rank waits for it.
  void signal(int peer);
  void await(int peer);
  void copy(const Piece& from, const Piece& to);
  /// Adds the step \p right = \p left op \p right.
  void combine(const Piece& left, const Piece& right);
  void end_round();
  /// Completes the schedule. If the MPI library truncates messages into mixed entries, such entries from other ranks
  /// are received packed and unpacked afterward. \p by_mpi(rank): whether messages from that rank use MPI.
  template <typename Condition>
  void finish(const Condition& by_mpi) {
    for (Round& round : rounds_) {
      for (std::size_t i = 0; truncates_mixed_ && i < round.receives.size(); ++i) {
        if (by_mpi(round.receives[i].peer)) {
          receive_packed(round, round.receives[i].to);
        }
      }
    }
  }
  void finish() {
    finish([](int /*rank*/) { return true; });
  }

  [[nodiscard]] std::vector<Round>& rounds() noexcept { return rounds_; }
  [[nodiscard]] const std::vector<Round>& rounds() const noexcept { return rounds_; }
  [[nodiscard]] std::int64_t scratch_bytes() const noexcept { return scratch_bytes_; }
  /// Bytes of the schedule and its scratch memory.
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  /// Changes a receive of \p round into \p place to receive packed data.
  void receive_packed(Round& round, Piece& place);
  /// Returns the round for the next message: in a round, messages come before local work.
  Round& messages();
  /// Converts a rank of the current subset to a rank of the communicator.
  [[nodiscard]] int actual(int rank) const noexcept {
    return members_.empty() ? rank : members_[static_cast<std::size_t>(rank)];
  }

  const CollectiveProblem& problem_;
  int rank_;
  int size_;
  int root_;
  std::vector<int> members_;  ///< members set by Among; empty: all ranks
  std::vector<Round> rounds_;
  std::int64_t scratch_bytes_ = 0;
  bool truncates_mixed_;      ///< the MPI library truncates messages into mixed entries
  std::vector<Piece> saved_;  ///< input of an in-place all-to-all, before it is overwritten
};

}  // namespace adcl::codelets
