/// \file study.hpp
/// The similar searches of a communicator that are under way. They exchange measurements or wait for each other, since
/// they would find the same result.
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

/// The measurements of a search so far. The same on all ranks.
struct Findings {
  /// By name: select::Told::beyond of each measured candidate.
  std::vector<std::pair<std::string, double>> beyond;

  /// Replaces the findings by those of \p search, which has these candidates.
  void take(const std::vector<select::Candidate>& candidates, const select::Search& search);
};

/// A similar search of the same communicator.
struct Peer {
  std::shared_ptr<const Findings> findings;
  double distance = 0.0;  ///< history::distance: at most history::similarity_limit
  std::size_t heard = 0;  ///< number of its findings at the last ask()
};

/// A search whose request is alive.
struct Study {
  std::int64_t number = 0;  ///< the same on all ranks
  std::string key;          ///< identifies the mode
  history::Entry problem;   ///< on rank 0
  std::string leader{};     ///< the fastest candidate so far, by reduced numbers; empty: none was measured
  bool waits = false;       ///< it waits for another study; the same on all ranks
  bool over = false;        ///< it has decided, or never will; becomes true at the same start on all ranks
  std::shared_ptr<Findings> findings = std::make_shared<Findings>();
  std::vector<Peer> peers{};  ///< in the same order on all ranks

  /// Withdraws the measurements from the other searches, and the best candidate so far.
  void forget() {
    findings->beyond.clear();
    leader.clear();
  }
  /// A peer has more measurements than at the last ask(), or has withdrawn them.
  [[nodiscard]] bool has_news() const;
  /// The peers' measurements of each candidate; nearer peers have more weight. Afterwards, has_news() is false.
  [[nodiscard]] std::vector<select::Told> ask(const std::vector<select::Candidate>& candidates);
};

/// The studies of a communicator. They begin in the same order on all ranks.
class Studies {
 public:
  /// A study, and the distance of its problem.
  using Near = std::pair<std::shared_ptr<Study>, double>;

  /// Begins a study. It exchanges measurements with those in \p near.
  std::shared_ptr<Study> begin(std::string key, history::Entry problem, std::span<const Near> near);
  /// The latest studies whose requests are alive, decided or not.
  [[nodiscard]] std::vector<std::shared_ptr<Study>> all() const;

 private:
  std::vector<std::weak_ptr<Study>> studies_;
  std::int64_t last_ = 0;
};

}  // namespace adcl::runtime
