/// \file tuner_groups.hpp
/// The searches of a communicator that later requests can share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/tuner.hpp"

namespace adcl::runtime {

/// By the signature of the request that made them, those of the same signature in the order of their creation. Finding
/// one takes as long with a thousand different problems as with one.
class TunerGroups {
 public:
  /// The first one that is alive, or null.
  [[nodiscard]] std::shared_ptr<TunerGroup> find(std::uint64_t signature) {
    const auto found = groups_.find(signature);
    if (found == groups_.end()) {
      return nullptr;
    }
    std::erase_if(found->second, [](const auto& group) { return group.expired(); });
    return found->second.empty() ? nullptr : found->second.front().lock();
  }
  void add(const std::shared_ptr<TunerGroup>& group) {
    if (groups_.size() >= sweep_at_) {
      sweep();
    }
    groups_[group->signature()].push_back(group);
  }

 private:
  /// Each time that twice as many may have gathered: that costs each addition little.
  void sweep() {
    std::erase_if(groups_, [](const auto& entry) {
      return std::all_of(entry.second.begin(), entry.second.end(), [](const auto& group) { return group.expired(); });
    });
    sweep_at_ = 2 * groups_.size() + 64;
  }
  std::unordered_map<std::uint64_t, std::vector<std::weak_ptr<TunerGroup>>> groups_;
  std::size_t sweep_at_ = 64;
};

}  // namespace adcl::runtime
