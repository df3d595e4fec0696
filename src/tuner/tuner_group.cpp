#include <algorithm>
#include <array>
#include <utility>

#include "core/error.hpp"
#include "tuner/tuner_group.hpp"

namespace adcl::runtime {

const char* mode_name(Mode mode) {
  constexpr std::array names{"start", "init and wait", "start_overlap", "start_with", "init_with and wait", "a timer"};
  static_assert(names.size() == all_mode_count);
  return names.at(index_of(mode));
}

TunerGroup::TunerGroup(std::shared_ptr<mpi::Context> context, select::Subject subject,
                       std::shared_ptr<const Settings> settings, std::vector<Row> rows,
                       std::vector<Capabilities> capabilities, std::uint64_t signature, std::uint64_t identity,
                       std::shared_ptr<ProblemHistory> history)
    : context_(std::move(context)),
      subject_(std::move(subject)),
      settings_(std::move(settings)),
      rows_(std::move(rows)),
      capabilities_(std::move(capabilities)),
      signature_(signature),
      identity_(identity),
      history_(std::move(history)) {}

bool TunerGroup::admits(Mode mode, const Capabilities& capabilities) const {
  const bool split = mode == Mode::split || mode == Mode::split_with;
  const bool with = mode == Mode::blocking_with || mode == Mode::split_with;
  if (subject_.same_bits && capabilities.nonblocking != split) {
    // MPI's blocking and its nonblocking call may combine in different orders.
    return false;
  }
  return (!split || capabilities.nonblocking || subject_.overlaps || settings_->overlap_blocking) &&
         (!with || !capabilities.fixed_buffers);
}

void TunerGroup::throw_no_candidate(Mode mode) const {
  const char* what = "is nonblocking; use ADCL_Request_start, or set ADCL_OVERLAP_BLOCKING to 1";
  if (mode == Mode::blocking || mode == Mode::functions) {
    what = "is blocking; use ADCL_Request_init and ADCL_Request_wait, or set ADCL_REPRODUCIBLE to 0";
  } else if (mode == Mode::blocking_with) {
    what = "accepts other arrays than the request's; admit more codelets with ADCL_CODELETS";
  } else if (mode == Mode::split_with) {
    what = "is nonblocking and accepts other arrays than the request's; admit more codelets with ADCL_CODELETS";
  }
  throw Error(Code::no_codelet,
              text("none of the ", subject_.candidates.size(), " candidates for ", subject_.problem, " ", what));
}

Tuner& TunerGroup::for_mode(Mode mode) {
  auto& slot = tuners_.at(index_of(mode));
  if (slot != nullptr) {
    return *slot;
  }
  select::Subject subject = subject_;
  subject.candidates.clear();
  auto& members = members_.at(index_of(mode));
  members.clear();
  const auto admit = [&](bool all) {
    for (std::size_t i = 0; i < subject_.candidates.size(); ++i) {
      if (admits(mode, capabilities_[i]) && (all || capabilities_[i].progress_depth == 0)) {
        subject.candidates.push_back(subject_.candidates[i]);
        members.push_back(from_index<Candidate>(i));
      }
    }
  };
  // Without calls of ADCL_Request_progress, variants of a codelet that differ in the calls they use are duplicates;
  // admit variants only if no other candidate is left.
  const bool in_one_call = mode == Mode::blocking || mode == Mode::blocking_with;
  admit(!in_one_call);
  if (subject.candidates.empty() && in_one_call) {
    admit(true);
  }
  if (subject.candidates.empty()) {
    throw_no_candidate(mode);
  }
  slot = std::make_unique<Tuner>(*context_, std::move(subject), settings_, mode, history_);
  const auto of_members = [&members](std::span<const measure::Numbers> all) {
    std::vector<measure::Numbers> known;
    for (const Candidate member : members) {
      known.push_back(all[index_of(member)]);
    }
    return known;
  };
  const Prior* prior = history_ != nullptr ? history_->prior(mode) : nullptr;
  if (!known_.empty()) {
    verifies_primed_ ? slot->verify(of_members(known_)) : slot->prime(of_members(known_));
  } else if (prior != nullptr) {
    const auto winner = std::find(members.begin(), members.end(), prior->winner);
    slot->trace_history("same problem",
                        prior->winner != no_candidate ? subject_.candidates[index_of(prior->winner)].name : "", {});
    slot->verify(of_members(prior->known), winner != members.end() ? static_cast<int>(winner - members.begin()) : -1);
  } else {
    slot->take_advice();
  }
  return *slot;
}

void TunerGroup::report() {
  for (const auto& tuner : tuners_) {
    if (tuner != nullptr) {
      tuner->report();
    }
  }
}

void TunerGroup::add_name(const std::string& name) {
  auto& names = *subject_.names;
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

void TunerGroup::prime(std::vector<measure::Numbers> known) {
  for (const auto& tuner : tuners_) {
    require(
        tuner == nullptr, Code::state,
        "this request, or a request that shares its search, was already started; restore the status before the first "
        "start");
  }
  known_ = std::move(known);
}

}  // namespace adcl::runtime
