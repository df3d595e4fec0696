#include "history/memory.hpp"

#include <algorithm>
#include <utility>

namespace adcl::history {

std::optional<Entry> Memory::find(const Identity& identity, std::uint64_t settings) const {
  const auto known = std::ranges::find_if(known_, [&, problem = identity.hash()](const Known& one) {
    return one.problem == problem && one.settings == settings;
  });
  return known != known_.end() ? std::optional<Entry>(*known->entry) : std::nullopt;
}

std::vector<std::shared_ptr<const Entry>> Memory::all_of(const std::string& function_set,
                                                         std::uint64_t settings) const {
  std::vector<std::shared_ptr<const Entry>> found;
  for (const Known& known : known_) {
    if (known.settings == settings && known.entry->identity.function_set == function_set) {
      found.push_back(known.entry);
    }
  }
  return found;
}

void Memory::add(const Entry& entry, std::uint64_t settings, const std::string& mode, const Decision& decision,
                 Outcome outcome) {
  const std::uint64_t problem = entry.identity.hash();
  Entry merged = entry;
  merged.decisions.clear();
  for (auto known = known_.begin(); known != known_.end(); ++known) {
    if (known->problem == problem && known->settings == settings) {
      merged.decisions = known->entry->decisions;
      known_.erase(known);
      break;
    }
  }
  note(merged, mode, decision, outcome);
  known_.push_back({problem, settings, std::make_shared<const Entry>(std::move(merged))});
  if (known_.size() > capacity) {
    known_.pop_front();
  }
}

}  // namespace adcl::history
