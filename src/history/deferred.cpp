#include "history/deferred.hpp"

#include <system_error>

namespace adcl::history {
namespace {

constexpr int most_read = 1000;

}  // namespace

Found Deferred::find(const Identity& identity) {
  const std::scoped_lock lock(mutex_);
  const std::string word = identity.word();
  std::string trouble;
  EntryPtr& known = known_[word];
  if (known == nullptr) {
    auto file = history::find(folder_, identity);
    trouble = std::move(file.trouble);
    known = file.entry.has_value() ? std::make_shared<const Entry>(*std::move(file.entry)) : nullptr;
  }
  if (known == nullptr || known->identity.candidates != identity.candidates) {
    return {std::nullopt, trouble};
  }
  if (!added_.contains(word)) {
    found_.insert(word);
  }
  return {*known, trouble};
}

void Deferred::read_more(const std::function<bool()>& in_time) {
  std::error_code failure;
  if (!opened_) {
    next_ = std::filesystem::directory_iterator(folder_, failure);
    opened_ = true;
  }
  const std::filesystem::directory_iterator end;
  while (!failure && next_ != end && read_ < most_read && in_time()) {
    const auto& path = next_->path();
    if (path.extension() == ".json" && !known_.contains(path.stem().string())) {
      ++read_;
      EntryPtr entry = read_entry(path.string());
      const bool is_named_so = entry != nullptr && entry->identity.word() == path.stem();
      known_[path.stem().string()] = is_named_so ? std::move(entry) : nullptr;
    }
    next_.increment(failure);
  }
  if (failure) {
    next_ = end;
  }
}

std::vector<EntryPtr> Deferred::all_of(const std::string& function_set, const std::function<bool()>& in_time) {
  const std::scoped_lock lock(mutex_);
  read_more(in_time);
  std::vector<EntryPtr> found;
  for (const auto& [word, entry] : known_) {
    if (entry != nullptr && entry->identity.function_set == function_set) {
      found.push_back(entry);
    }
  }
  return found;
}

void Deferred::add(const Entry& entry, const std::string& mode, const Decision& decision, Outcome outcome) {
  const std::scoped_lock lock(mutex_);
  const std::string word = entry.identity.word();
  Entry merged{entry.identity, entry.problem, entry.features, {}};
  auto& additions = added_.try_emplace(word, Additions{merged, {}}).first->second;
  additions.decisions.push_back({mode, decision, outcome});
  EntryPtr& known = known_[word];
  if (known != nullptr) {
    merged.decisions = known->decisions;
  }
  add_decision(merged, mode, decision, outcome);
  known = std::make_shared<const Entry>(std::move(merged));
}

Stored Deferred::flush(double lock_s, const std::function<bool()>& in_time) {
  const std::scoped_lock lock(mutex_);
  std::vector<Additions> all;
  for (auto& [word, additions] : added_) {
    all.push_back(std::move(additions));
  }
  added_.clear();
  return all.empty() ? Stored{} : add_all(folder_, all, lock_s, in_time);
}

int Deferred::found() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<int>(found_.size());
}

}  // namespace adcl::history
