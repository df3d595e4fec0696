#include "select/batch_search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "measure/mean.hpp"

namespace adcl::select {

namespace {

constexpr const char* measurements_name = "ADCL_MEASUREMENTS";
constexpr int attempts_allowed = 3;
// Factor by which block_length() lengthens blocks that are one measurement.
constexpr double long_enough_s = 2e-3;  ///< executions that take at least this time are not repeated
constexpr double most_times = 16.0;
constexpr int times_at_first = 4;  ///< factor until a candidate is measured
constexpr double shortest_s = 1e-9;

void validate(const std::vector<Candidate>& candidates, const AttributeSet& attributes, int measurements) {
  require(!candidates.empty(), Code::no_codelet, "a search needs at least one candidate");
  const std::size_t most = std::numeric_limits<int>::max() / (candidates.size() * attempts_allowed);
  require(static_cast<std::size_t>(measurements) <= most, Code::option, measurements_name, "=", measurements,
          " is too large for ", candidates.size(), " candidates; the largest value is ", most);
  for (const Candidate& candidate : candidates) {
    require(candidate.attributes.size() == attributes.size(), Code::argument, "candidate '", candidate.name, "' has ",
            candidate.attributes.size(), " attribute values; its function set has ", attributes.size(), " attributes");
  }
}

}  // namespace

Option measurements_option() {
  return Option::integer(measurements_name, 1, 1000000, "10", "number of measurements per codelet and search");
}

BatchSearch::BatchSearch(std::vector<Candidate> candidates, AttributeSet attributes, const Parameters& parameters)
    : candidates_(std::move(candidates)),
      attributes_(std::move(attributes)),
      parameters_(parameters),
      measurements_(parameters.options.integer(measurements_name)),
      times_(parameters.common_clock, parameters.whole_blocks) {
  validate(candidates_, attributes_, measurements_);
  knowledge_.resize(candidates_.size());
  dropped_.resize(candidates_.size());
  attempts_.resize(candidates_.size());
}

Ticket BatchSearch::next() {
  started_ = true;
  uncounted_ = false;
  if (verdict_) {
    return {verdict_->winner, -1, 0};
  }
  if (ready()) {
    // Before the first result, run a candidate whose plan exists.
    const bool nothing_known = leader() < 0 && !blocks_.empty() && can_run(blocks_.front().candidate);
    return {nothing_known ? blocks_.front().candidate : incumbent(), -1, 0};
  }
  const Block& block = blocks_[block_];
  uncounted_ = executions_ < block.uncounted;
  const bool synchronizes = parameters_.whole_blocks && executions_ == block.uncounted;
  const Ticket ticket{block.candidate, uncounted_ ? -1 : first_slot_ + handed_out_, 0, synchronizes};
  handed_out_ += uncounted_ ? 0 : 1;
  ++executions_;
  skip_dropped();
  return ticket;
}

int BatchSearch::skip() {
  if (!uncounted_ || ready() || executions_ == 0 || executions_ >= blocks_[block_].uncounted) {
    return 0;
  }
  const int skipped = blocks_[block_].uncounted - executions_;
  executions_ += skipped;
  skip_dropped();
  return skipped;
}

bool BatchSearch::record(const Ticket& ticket, double seconds, double left_s) {
  const int place = sample(ticket);
  const bool taken = place >= 0 && measure::is_time(seconds);
  if (taken) {
    times_.record(place, seconds, left_s);
  }
  return taken;
}

bool BatchSearch::amend(const Ticket& ticket, double seconds) {
  const int place = sample(ticket);
  const bool taken = place >= 0 && measure::is_time(seconds) && times_.recorded(place);
  if (taken) {
    times_.record(place, seconds, unknown);
  }
  return taken;
}

void BatchSearch::spend(int candidate, double seconds) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].candidate == candidate) {
      times_.spend(i, seconds);
    }
  }
}

void BatchSearch::absorb(std::span<const double> reduced) {
  if (verdict_) {
    return;
  }
  require(ready(), Code::internal, "absorb() before all tickets of the batch were handed out");
  const std::vector<BatchTimes::Block> results = times_.combined(reduced, parameters_);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const BatchTimes::Block& result = results[i];
    if (can_run(block.candidate)) {
      take_results(block.candidate, result.numbers,
                   {result.shortest_s, result.spent_s, block.uncounted + block.counted});
    }
  }
  plan();
}

void BatchSearch::take_results(int candidate, const measure::Numbers& numbers, const BlockCost& /*cost*/) {
  if (numbers.measurements >= 1.0) {
    set_results(candidate, numbers, parameters_.estimator->judge(numbers, parameters_.options));
  } else if (!is_measured(candidate) && ++attempts_[at(candidate)] == attempts_allowed) {
    knowledge_[at(candidate)].removed =
        text("a rank has no measurement of this codelet after ", attempts_allowed, " attempts");
  }
}

void BatchSearch::set_results(int candidate, const measure::Numbers& numbers, double judged_s) {
  knowledge_[at(candidate)].numbers = numbers;
  knowledge_[at(candidate)].judged_s = judged_s;
}

void BatchSearch::drop(int candidate, const std::string& reason) {
  require(candidate >= 0 && candidate < count(), Code::argument, "drop() of candidate ", candidate, "; there are ",
          count());
  if (!can_run(candidate)) {
    return;
  }
  require(runnable_count() > 1, Code::no_codelet, "the last candidate '", candidates_[at(candidate)].name,
          "' cannot be dropped: ", reason);
  dropped_[at(candidate)] = true;
  knowledge_[at(candidate)].removed = reason.empty() ? "the codelet cannot run" : reason;
  restore();
  if (provisional_ && !verdict_) {
    set_provisional(provisional_remark_);
  }
  if (verdict_) {
    if (verdict_->winner == candidate) {
      conclude(text("; the former winner '", candidates_[at(candidate)].name, "' was dropped (", reason, ")"));
    }
  } else if (runnable_count() == 1) {
    conclude("");
  } else {
    skip_dropped();
  }
}

void BatchSearch::prime(std::span<const measure::Numbers> known) {
  require(!started_, Code::state, "prime() after the first next()");
  require(known.size() == candidates_.size(), Code::argument, "prime() with ", known.size(), " entries for ", count(),
          " candidates");
  for (int i = 0; i < count(); ++i) {
    const measure::Numbers& numbers = known[at(i)];
    if (!can_run(i)) {
      continue;
    }
    knowledge_[at(i)].removed.clear();
    if (numbers.measurements >= 1.0 && measure::is_time(numbers.mean_s) && measure::is_time(numbers.filtered_mean_s)) {
      set_results(i, numbers, parameters_.estimator->judge(numbers, parameters_.options));
    }
  }
  verdict_.reset();
  provisional_.reset();
  times_.end();
  reset();
  plan();
}

std::string BatchSearch::value_name(std::size_t attribute, int value) const {
  const AttributeValue* const entry = attributes_[attribute].find(value);
  return entry == nullptr ? text(value) : entry->name;
}

int BatchSearch::fastest() const {
  return lowest(candidates_where([this](int i) { return can_run(i) && is_measured(i); }),
                [this](int i) { return judged_s(i); });
}

std::vector<int> BatchSearch::unmeasured() const {
  return candidates_where([this](int i) { return is_active(i) && !is_measured(i); });
}

void BatchSearch::measure(const std::vector<int>& members) {
  std::vector<Block> blocks;
  for (const int member : members) {
    blocks.push_back({member, 0, measurements_});
  }
  run(std::move(blocks));
}

void BatchSearch::set_provisional(const std::string& how) {
  provisional_remark_ = how;
  provisional_ = verdict_for_leader(how);
}

int BatchSearch::block_length(int counted) const {
  const int best = fastest();
  if (!parameters_.whole_blocks) {
    return counted;
  }
  if (best < 0) {
    return counted * times_at_first;
  }
  return counted * static_cast<int>(std::clamp(long_enough_s / std::max(judged_s(best), shortest_s), 1.0, most_times));
}

void BatchSearch::run(std::vector<Block> blocks) {
  end_batch();
  blocks_ = std::move(blocks);
  std::vector<int> counted;
  for (const Block& block : blocks_) {
    counted.push_back(block.counted);
  }
  times_.begin(std::move(counted));
  skip_dropped();
}

/// Ends the batch; the slots of the next batch follow its slots.
void BatchSearch::end_batch() {
  first_slot_ += times_.samples();
  // Assign an empty vector, because clear() would keep the memory.
  blocks_ = std::vector<Block>();
  times_.end();
  block_ = 0;
  executions_ = 0;
  handed_out_ = 0;
}

void BatchSearch::remove(int candidate, const std::string& reason) {
  if (is_active(candidate) && candidate != leader()) {
    knowledge_[at(candidate)].removed = reason;
  }
}

void BatchSearch::conclude(const std::string& how) {
  knowledge_[at(incumbent())].removed.clear();
  verdict_ = verdict_for_leader(how);
  provisional_.reset();
  explain_losers();
  end_batch();
}

void BatchSearch::plan() {
  restore();
  const bool hopeless = leader() < 0 && unmeasured().empty();
  if (runnable_count() == 1 || hopeless) {
    conclude("");
  } else {
    advance();
  }
  if (provisional_ && !verdict_) {
    set_provisional(provisional_remark_);
  }
}

/// Restores the invariant of the leader (see the file comment) after drop().
void BatchSearch::restore() {
  const int best = leader();
  if (best >= 0) {
    knowledge_[at(best)].removed.clear();
    return;
  }
  if (!unmeasured().empty()) {
    return;
  }
  for (int i = 0; i < count(); ++i) {
    if (can_run(i) && attempts_[at(i)] < attempts_allowed) {
      knowledge_[at(i)].removed.clear();
    }
  }
}

void BatchSearch::explain_losers() {
  const int winner = verdict_->winner;
  for (int i = 0; i < count(); ++i) {
    if (i != winner && is_active(i)) {
      knowledge_[at(i)].removed = is_measured(i) ? explanation(i, winner) : not_tried;
    }
  }
}

/// Removed candidates are not ties.
Verdict BatchSearch::verdict_for_leader(const std::string& how) const {
  const int winner = incumbent();
  return {winner, reason_for(winner) + how, candidates_where([&](int i) {
            return i != winner && can_run(i) && is_active(i) && is_measured(i) && is_measured(winner) &&
                   is_tied(i, winner);
          })};
}

/// Moves to the block of the next ticket: past complete blocks and blocks of dropped candidates.
void BatchSearch::skip_dropped() {
  while (block_ < blocks_.size()) {
    const Block& block = blocks_[block_];
    const int left = block.uncounted + block.counted - executions_;
    if (left > 0 && can_run(block.candidate)) {
      return;
    }
    handed_out_ += std::min(left, block.counted);
    ++block_;
    executions_ = 0;
  }
}

int BatchSearch::incumbent() const {
  const int best = leader();
  return best >= 0 ? best : first_runnable();
}

int BatchSearch::first_runnable() const {
  const auto first = std::find(dropped_.begin(), dropped_.end(), false);
  return first != dropped_.end() ? static_cast<int>(first - dropped_.begin()) : -1;
}

int BatchSearch::runnable_count() const {
  return count() - static_cast<int>(std::count(dropped_.begin(), dropped_.end(), true));
}

/// Index of the sample of a ticket of this batch; -1 for any other ticket. Includes tickets of dropped candidates,
/// whose times are not used.
int BatchSearch::sample(const Ticket& ticket) const {
  const int position = ticket.slot - first_slot_;
  if (verdict_ || ticket.slot < 0 || position < 0 || position >= handed_out_) {
    return -1;
  }
  auto block = blocks_.begin();
  for (int end = block->counted; end <= position; end += block->counted) {
    ++block;
  }
  return block->candidate == ticket.candidate ? position : -1;
}

std::string BatchSearch::explanation(int loser, int winner) const {
  const char* const relation = judged_s(loser) > judged_s(winner) ? "slower: " : "as fast, but later in the table: ";
  return text(relation, duration(judged_s(loser)), " against ", duration(judged_s(winner)), " of ",
              candidate(winner).name);
}

std::string BatchSearch::reason_for(int winner) const {
  const std::string& name = candidate(winner).name;
  if (runnable_count() == 1) {
    return text(name, " is the only candidate", count() > 1 ? " left" : "");
  }
  if (!is_measured(winner)) {
    return text(name, " is the first candidate; no candidate could be measured");
  }
  return sentence(winner);
}

std::string BatchSearch::sentence(int winner) const {
  const std::string& name = candidate(winner).name;
  const std::string time = duration(judged_s(winner));
  const auto others = candidates_where([&](int i) { return i != winner && can_run(i) && is_measured(i); });
  if (others.empty()) {
    return text(name, " is the only candidate that was measured (", time, ")");
  }
  const auto seconds = [this](int i) { return judged_s(i); };
  if (const auto equal = std::ranges::count(others, judged_s(winner), seconds); equal > 0) {
    return text(name, " is the first in the table of ", equal + 1, " candidates with the lowest time of ",
                others.size() + 1, " measured candidates: ", time);
  }
  const int next = *std::ranges::min_element(others, {}, seconds);
  return text(name, " has the lowest time of ", others.size() + 1, " measured candidates: ", time, "; the next is ",
              candidate(next).name, " with ", duration(judged_s(next)));
}

}  // namespace adcl::select
