/// \file study.hpp
/// The searches of a communicator that are under way, for similar ones: they tell each other what they have measured,
/// or wait for each other, since they would find the same again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "history/entry.hpp"
#include "select/search.hpp"

namespace adcl::runtime {

/// What a search has measured so far. The same on all ranks.
struct Findings {
  /// By name: select::Told::beyond of each candidate that was measured.
  std::vector<std::pair<std::string, double>> beyond;

  /// Takes what \p search, of these candidates, knows.
  void take(const std::vector<select::Candidate>& candidates, const select::Search& search);
};

/// A similar search of the same communicator.
struct Peer {
  std::shared_ptr<const Findings> findings;
  double distance = 0.0;  ///< history::distance: at most history::similarity_limit
  std::size_t heard = 0;  ///< the number of its findings when they were asked for last
};

/// A search whose request is alive.
struct Study {
  std::int64_t number = 0;  ///< the same on all ranks
  std::string key;          ///< of the way of use
  history::Entry problem;   ///< on rank 0
  std::string leader{};     ///< the fastest candidate so far, by reduced numbers; empty: none was measured
  bool waits = false;       ///< for another one; the same on all ranks
  bool over = false;        ///< it has decided, or will never do so; becomes true at the same start on all ranks
  std::shared_ptr<Findings> findings = std::make_shared<Findings>();
  std::vector<Peer> peers{};  ///< in the same order on all ranks

  /// Withdraws the measurements from the other searches, and the leader.
  void forget() {
    findings->beyond.clear();
    leader.clear();
  }
  /// A peer has measured what it had not when this was asked before, or has forgotten what it had measured.
  [[nodiscard]] bool has_news() const;
  /// What the peers tell of each candidate, the nearer ones counting more. From then on it is no news.
  [[nodiscard]] std::vector<select::Told> ask(const std::vector<select::Candidate>& candidates);
};

/// Those of a communicator. They begin in the same order on all ranks.
class Studies {
 public:
  /// A study and how far its problem is.
  using Near = std::pair<std::shared_ptr<Study>, double>;

  /// It and those that are near tell each other.
  std::shared_ptr<Study> begin(std::string key, history::Entry problem, std::span<const Near> near);
  /// The latest ones whose requests are alive, decided or not.
  [[nodiscard]] std::vector<std::shared_ptr<Study>> all() const;

 private:
  std::vector<std::weak_ptr<Study>> studies_;
  std::int64_t last_ = 0;
};

}  // namespace adcl::runtime
