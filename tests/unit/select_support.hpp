/// \file select_support.hpp
/// Searches on several ranks with a scripted clock, and the codelets of the thesis.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "select/search.hpp"

namespace adcl::select::test {

/// Seconds of an execution of a candidate on a rank; NaN: no time. `run` counts all executions from 0.
using Clock = std::function<double(int rank, int candidate, int run)>;

/// No time.
inline constexpr double never = std::numeric_limits<double>::quiet_NaN();

/// A clock on which candidate i takes times[i].
inline Clock constant(std::vector<double> times) {
  return [times = std::move(times)](int, int candidate, int) { return times.at(static_cast<std::size_t>(candidate)); };
}

/// The defaults of all logics and statistical methods.
inline OptionValues defaults() {
  OptionValues values;
  for (const Logic& logic : table()) {
    values.add(logic.options);
  }
  for (const measure::Estimator& method : measure::table()) {
    values.add(method.options);
  }
  return values;
}

/// Sets an option of any logic.
inline void set_option(OptionValues& values, const std::string& name, int value) {
  for (const Logic& logic : table()) {
    for (const Option& option : logic.options) {
      if (option.name == name) {
        values.set(option, std::to_string(value));
      }
    }
  }
}

inline Parameters parameters(int measurements, int confidence = 2) {
  Parameters result;
  result.options = defaults();
  set_option(result.options, "ADCL_MEASUREMENTS", measurements);
  set_option(result.options, "ADCL_CONFIDENCE", confidence);
  return result;
}

/// Parameters with only the options in the row of \p logic, so that a search that reads any other option fails.
inline Parameters with_own_options(const Parameters& parameters, const Logic& logic) {
  Parameters result = parameters;
  result.options = {};
  result.options.take(parameters.options, logic.options);
  if (parameters.estimator != nullptr) {
    result.options.take(parameters.options, parameters.estimator->options);
  }
  return result;
}

class World {
 public:
  World(const std::string& logic, const std::vector<Candidate>& candidates, const AttributeSet& attributes,
        const Parameters& parameters, int ranks = 1)
      : candidates_(candidates), ran_(candidates.size(), 0) {
    for (int rank = 0; rank < ranks; ++rank) {
      searches_.push_back(find(logic).make(candidates, attributes, with_own_options(parameters, find(logic))));
    }
  }

  Search& rank(int rank) { return *searches_.at(static_cast<std::size_t>(rank)); }
  Search& first() { return rank(0); }
  [[nodiscard]] int ranks() const { return static_cast<int>(searches_.size()); }

  /// Starts an operation on all ranks, and checks that they run the same candidate.
  Ticket step(const Clock& clock) {
    const Ticket ticket = first().next();
    for (int r = 1; r < ranks(); ++r) {
      const Ticket other = rank(r).next();
      EXPECT_EQ(other.candidate, ticket.candidate) << "on rank " << r;
      EXPECT_EQ(other.slot, ticket.slot) << "on rank " << r;
    }
    if (ticket.slot >= 0) {
      ++measurements_;
      ++ran_.at(static_cast<std::size_t>(ticket.candidate));
    }
    for (int r = 0; r < ranks(); ++r) {
      const double seconds = clock(r, ticket.candidate, runs_);
      if (seconds == seconds) {
        rank(r).record(ticket, seconds);
      }
    }
    ++runs_;
    return ticket;
  }

  /// Runs all tickets of a batch, and returns its candidates in order.
  std::vector<int> batch(const Clock& clock) {
    std::vector<int> members;
    while (!first().verdict() && !first().ready()) {
      const int candidate = step(clock).candidate;
      if (members.empty() || members.back() != candidate) {
        members.push_back(candidate);
      }
    }
    return members;
  }

  /// Returns the reduction over the ranks.
  std::vector<double> reduced() {
    std::vector<double> result = first().pending();
    for (int r = 1; r < ranks(); ++r) {
      const std::vector<double> other = rank(r).pending();
      EXPECT_EQ(other.size(), result.size()) << "on rank " << r;
      for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = std::max(result[i], other.at(i));
      }
    }
    return result;
  }

  void agree() { absorb(reduced()); }

  void absorb(const std::vector<double>& values) {
    ++agreements_;
    for (auto& search : searches_) {
      search->absorb(values);
    }
  }

  void drop(int candidate, const std::string& reason) {
    for (auto& search : searches_) {
      search->drop(candidate, reason);
    }
  }

  void prime(const std::vector<measure::Numbers>& known) {
    for (auto& search : searches_) {
      search->prime(known);
    }
  }

  /// Runs until the verdict, and returns the winner's name. Fails the test if there is no verdict.
  std::string run(const Clock& clock) {
    for (int batches = 0; !first().verdict(); ++batches) {
      if (batches > 100000) {
        ADD_FAILURE() << "no verdict";
        return "";
      }
      batch(clock);
      agree();
    }
    return winner();
  }

  std::string winner() {
    if (!first().verdict()) {
      return "";
    }
    return candidates_.at(static_cast<std::size_t>(first().verdict()->winner)).name;
  }

  std::string reason() { return first().verdict() ? first().verdict()->reason : ""; }

  /// Names of the active candidates.
  std::vector<std::string> considered() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (first().knowledge()[i].removed.empty()) {
        names.push_back(candidates_[i].name);
      }
    }
    return names;
  }

  std::vector<std::string> names(const std::vector<int>& members) {
    std::vector<std::string> result;
    result.reserve(members.size());
    for (const int member : members) {
      result.push_back(candidates_.at(static_cast<std::size_t>(member)).name);
    }
    return result;
  }

  [[nodiscard]] int measurements() const { return measurements_; }
  [[nodiscard]] int measurements(int candidate) const { return ran_.at(static_cast<std::size_t>(candidate)); }
  [[nodiscard]] int agreements() const { return agreements_; }

 private:
  std::vector<Candidate> candidates_;
  std::vector<std::unique_ptr<Search>> searches_;
  std::vector<int> ran_;
  int measurements_ = 0;
  int agreements_ = 0;
  int runs_ = 0;
};

/// Candidates named c0, c1... without attributes.
inline std::vector<Candidate> plain(int count) {
  std::vector<Candidate> result;
  for (int i = 0; i < count; ++i) {
    result.push_back({"c" + std::to_string(i), {}});
  }
  return result;
}

/// The index of the candidate \p name.
inline int index_of(const std::vector<Candidate>& candidates, const std::string& name) {
  const auto found =
      std::find_if(candidates.begin(), candidates.end(), [&name](const Candidate& c) { return c.name == name; });
  EXPECT_NE(found, candidates.end()) << name;
  return static_cast<int>(found - candidates.begin());
}

enum Partners { aao, pair };
enum NonContiguous { ddt, pack };
enum Primitive { isend_irecv, send_irecv, send_recv, sendrecv, fence_put, fence_get, post_start_put, post_start_get };
enum Completion { waitall, wait, waitany, waitsome };

/// Partners, handling of noncontiguous data, primitive (two classes), and completion.
inline AttributeSet halo_attributes() {
  return {{"partners", {{aao, "aao", "", 0}, {pair, "pair", "", 1}}},
          {"noncontiguous", {{ddt, "ddt", "", 0}, {pack, "pack", "", 1}}},
          {"primitive",
           {{isend_irecv, "isend_irecv", "two_sided", 0},
            {send_irecv, "send_irecv", "two_sided", 0},
            {send_recv, "send_recv", "two_sided", 0},
            {sendrecv, "sendrecv", "two_sided", 0},
            {fence_put, "fence_put", "one_sided", 1},
            {fence_get, "fence_get", "one_sided", 1},
            {post_start_put, "post_start_put", "one_sided", 1},
            {post_start_get, "post_start_get", "one_sided", 1}}},
          {"completion",
           {{waitall, "waitall", "", 0},
            {wait, "wait", "", 0},
            {waitany, "waitany", "", 1},
            {waitsome, "waitsome", "", 1}}}};
}

/// The twelve codelets of paper section IV, in the order of thesis Table 3.1.
inline std::vector<Candidate> two_sided_codelets() {
  return {{"IsIr_aao", {aao, ddt, isend_irecv, waitall}},
          {"IsIr_pair", {pair, ddt, isend_irecv, waitall}},
          {"IsIr_aao_pack", {aao, pack, isend_irecv, waitall}},
          {"IsIr_pair_pack", {pair, pack, isend_irecv, waitall}},
          {"SIr_aao", {aao, ddt, send_irecv, waitall}},
          {"SIr_pair", {pair, ddt, send_irecv, waitall}},
          {"SIr_aao_pack", {aao, pack, send_irecv, waitall}},
          {"SIr_pair_pack", {pair, pack, send_irecv, waitall}},
          {"S_R_pair", {pair, ddt, send_recv, not_applicable}},
          {"Sr_pair", {pair, ddt, sendrecv, not_applicable}},
          {"S_R_pair_pack", {pair, pack, send_recv, not_applicable}},
          {"Sr_pair_pack", {pair, pack, sendrecv, not_applicable}}};
}

/// The twenty codelets of thesis Table 3.1.
inline std::vector<Candidate> thesis_codelets() {
  std::vector<Candidate> result = two_sided_codelets();
  const std::vector<Candidate> one_sided = {{"WinfencePut_aao", {aao, ddt, fence_put, not_applicable}},
                                            {"WinfenceGet_aao", {aao, ddt, fence_get, not_applicable}},
                                            {"PostStartPut_aao", {aao, ddt, post_start_put, not_applicable}},
                                            {"PostStartGet_aao", {aao, ddt, post_start_get, not_applicable}},
                                            {"WinfencePut_pair", {pair, ddt, fence_put, not_applicable}},
                                            {"WinfenceGet_pair", {pair, ddt, fence_get, not_applicable}},
                                            {"PostStartPut_pair", {pair, ddt, post_start_put, not_applicable}},
                                            {"PostStartGet_pair", {pair, ddt, post_start_get, not_applicable}}};
  result.insert(result.end(), one_sided.begin(), one_sided.end());
  return result;
}

/// Times that are the product of one factor per attribute value, or of 1 for a missing attribute.
inline std::vector<double> product_times(const std::vector<Candidate>& candidates,
                                         const std::vector<std::vector<double>>& factors) {
  std::vector<double> times;
  for (const Candidate& candidate : candidates) {
    double seconds = 1e-3;
    for (std::size_t j = 0; j < candidate.attributes.size(); ++j) {
      const int value = candidate.attributes[j];
      seconds *= value < 0 ? 1.0 : factors.at(j).at(static_cast<std::size_t>(value));
    }
    times.push_back(seconds);
  }
  return times;
}

inline World brute_force(int candidates, int measurements, int ranks = 1) {
  return {"brute_force", plain(candidates), {}, parameters(measurements), ranks};
}

}  // namespace adcl::select::test
