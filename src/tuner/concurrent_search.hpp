/// \file concurrent_search.hpp
/// Running searches of a communicator. Searches of similar problems exchange measurements or wait for each other, since
/// they would probably find the same result.
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

/// select::PeerMeasurement::log_excess of each measured candidate, by name. The same on all ranks.
using Findings = std::vector<std::pair<std::string, double>>;

/// The state of a running search that searches of similar problems read.
struct ConcurrentSearch {
  /// A similar search. Its findings outlive its request.
  struct Peer {
    std::shared_ptr<const Findings> findings;
    double distance = 0.0;  ///< history::distance: at most history::similarity_limit
    std::size_t known = 0;  ///< number of its findings at the last measurements_of_peers()
  };

  std::int64_t number = 0;  ///< the same on all ranks
  std::string key;          ///< identifies the mode
  history::Entry problem;   ///< on rank 0
  std::string best{};       ///< the fastest candidate so far, by reduced numbers; empty: none was measured
  bool waits = false;       ///< this search waits for another search; the same on all ranks
  bool finished =
      false;  ///< this search has decided, or will never decide; becomes true at the same start on all ranks
  std::shared_ptr<Findings> findings = std::make_shared<Findings>();
  std::vector<Peer> peers{};  ///< in the same order on all ranks

  /// Replaces the findings and the best candidate with the results of \p search, which has these candidates.
  void publish(const std::vector<select::Candidate>& candidates, const select::Search& search);
  /// Withdraws the findings and the best candidate.
  void withdraw();
  /// True if a peer has changed its findings since the last measurements_of_peers().
  [[nodiscard]] bool has_news() const;
  /// Combines the peers' measurements of each candidate, weighted by distance. Afterward, has_news() is false.
  [[nodiscard]] std::vector<select::PeerMeasurement> measurements_of_peers(
      const std::vector<select::Candidate>& candidates);
};

/// The searches of a communicator. They begin in the same order on all ranks.
class ConcurrentSearches {
 public:
  /// A search, and the distance of its problem.
  using Near = std::pair<std::shared_ptr<ConcurrentSearch>, double>;

  /// Begins a search. It exchanges measurements with the searches in \p near.
  std::shared_ptr<ConcurrentSearch> begin(std::string key, history::Entry problem, std::span<const Near> near);
  /// The latest searches whose requests are alive, including decided searches.
  [[nodiscard]] std::vector<std::shared_ptr<ConcurrentSearch>> all() const;

 private:
  std::vector<std::weak_ptr<ConcurrentSearch>> searches_;
  std::int64_t last_ = 0;
};

}  // namespace adcl::runtime
