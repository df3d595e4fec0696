/// \file schedule.hpp
/// What one rank does in a collective operation, round by round. An algorithm writes it down once, when its plan is
/// made; a plan carries it out at each start.
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
    copy,     ///< `from` to `to`, which are of the same signature
    combine   ///< `to` becomes `from` op `to`, entry by entry
  };
  Kind kind = Kind::copy;
  int peer = 0;
  Piece from{};
  Piece to{};
};

/// Messages that are under way together, then local work, in order. A round ends when both are done.
struct Round {
  std::vector<Step> receives;
  std::vector<Step> sends;
  std::vector<Step> work;
  [[nodiscard]] bool empty() const noexcept { return receives.empty() && sends.empty() && work.empty(); }
};

/// Writes down the schedule of one rank. Messages without data are left out, on both sides, as is copying to the same
/// place.
class Script {
 public:
  /// While it lives, what is written down is what some of the ranks do among themselves: ranks are places in
  /// \p members, of which this rank is one, and the root is the first. Blocks of arrays are numbered as ever.
  class Among {
   public:
    Among(Script& script, std::vector<int> members);
    ~Among();
    Among(const Among&) = delete;
    Among& operator=(const Among&) = delete;

   private:
    Script& script_;
  };

  /// Begins with what the operation needs wherever it is done: an all-to-all in place keeps what it sends.
  explicit Script(const CollectiveProblem& problem);

  [[nodiscard]] const CollectiveProblem& problem() const noexcept { return problem_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] int root() const noexcept { return root_; }
  /// Ranks counted from the root on, and back.
  [[nodiscard]] int from_root(int rank) const noexcept { return (rank - root() + size()) % size(); }
  [[nodiscard]] int rank_at(int from_root) const noexcept { return (from_root + root()) % size(); }
  /// The rank \p steps behind this one, in a circle; negative: before it.
  [[nodiscard]] int around(int steps) const noexcept { return ((rank() + steps) % size() + size()) % size(); }

  /// The block that this rank sends to \p rank, of an all-to-all, or as the root of a scatter.
  [[nodiscard]] Piece out(int rank) const;
  /// The block that this rank receives from \p rank, of a gather or an all-to-all.
  [[nodiscard]] Piece in(int rank) const { return problem_.receive.block(Place::receive, rank); }
  /// What this rank contributes to a gather; in place, it is where the result belongs.
  [[nodiscard]] Piece own() const;
  /// What a broadcast or a scatter brings this rank.
  [[nodiscard]] Piece result() const { return problem_.receive.block(Place::receive, 0); }
  /// What this rank contributes to a reduction: all entries, or those that end up on \p rank.
  [[nodiscard]] Piece input() const;
  [[nodiscard]] Piece input_of(int rank) const;
  /// Entries that end up on all ranks together, of a reduce-scatter; those of all ranks before \p rank.
  [[nodiscard]] std::int64_t entries_before(int rank) const;

  /// New memory for \p bytes packed bytes.
  Piece scratch(std::int64_t bytes);
  /// New memory for as many entries as \p piece has, of its type.
  Piece scratch_like(const Piece& piece);

  void send(int peer, const Piece& piece);
  void receive(int peer, const Piece& piece);
  /// Messages without data, which one rank waits for and another one sends.
  void signal(int peer);
  void await(int peer);
  void copy(const Piece& from, const Piece& to);
  /// \p right becomes \p left op \p right.
  void combine(const Piece& left, const Piece& right);
  void end_round();
  /// The schedule is complete. Where the MPI library truncates such messages, mixed entries that arrive from other
  /// ranks are received packed and put into their places afterwards. \p by_mpi(rank): MPI carries messages from there.
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
  /// Memory of the schedule and of its scratch.
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  /// Has what arrives in \p place, of a receive of \p round, received packed.
  void receive_packed(Round& round, Piece& place);
  /// The round that takes a message: local work comes after the messages of its round.
  Round& messages();
  /// The rank of the communicator that is number \p rank here.
  [[nodiscard]] int actual(int rank) const noexcept {
    return members_.empty() ? rank : members_[static_cast<std::size_t>(rank)];
  }

  const CollectiveProblem& problem_;
  int rank_;
  int size_;
  int root_;
  std::vector<int> members_;  ///< of Among; empty: all
  std::vector<Round> rounds_;
  std::int64_t scratch_bytes_ = 0;
  bool truncates_mixed_;      ///< the MPI library, messages into mixed entries
  std::vector<Piece> saved_;  ///< what an all-to-all in place sends, from before it is overwritten
};

}  // namespace adcl::codelets
