/// \file memory.hpp
/// What was learnt in this run, for as long as the communicator lives: ADCL_HISTORY=memory. Pure.
///
/// All ranks hold the same entries, since what they are made of was agreed on; so nobody needs to be asked.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "history/entry.hpp"

namespace adcl::history {

class Memory {
 public:
  /// Entries that are kept: those that were added to last.
  static constexpr std::size_t capacity = 32;

  /// What is known of exactly this problem, under \p settings: a number that tells apart what can change a decision.
  [[nodiscard]] std::optional<Entry> find(const Identity& identity, std::uint64_t settings) const;
  /// All that is known of a function set under \p settings, the oldest first.
  [[nodiscard]] std::vector<std::shared_ptr<const Entry>> all_of(const std::string& function_set,
                                                                 std::uint64_t settings) const;
  /// As history::add() does with a folder.
  void add(const Entry& entry, std::uint64_t settings, const std::string& mode, const Decision& decision,
           Outcome outcome);

 private:
  struct Known {
    std::uint64_t problem = 0;  ///< hash of its identity
    std::uint64_t settings = 0;
    std::shared_ptr<const Entry> entry;
  };
  std::list<Known> known_;  ///< the oldest first
};

}  // namespace adcl::history
