// Creates a request: each rank states its arguments, one reduction combines them, and all ranks get the same result.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/nearest.hpp"
#include "mpi/agreement.hpp"
#include "mpi/check.hpp"
#include "output/trace.hpp"
#include "request/request.hpp"
#include "tuner/problem_history.hpp"
#include "tuner/tuner_group.hpp"

namespace adcl::runtime {

/// Steps of Request::create, in order.
class RequestBuilder {
 public:
  explicit RequestBuilder(std::shared_ptr<mpi::Context> context)
      : context_(std::move(context)), request_(new Request()) {}

  std::shared_ptr<Request> build(mpi::Attempt<RequestParts> parts, const std::shared_ptr<const Settings>& settings) {
    receive_options(settings);
    context_->machine();
    mpi::Ballot ballot;
    const auto failure = mpi::error_of([&] {
      prepare(std::move(parts));
      fill(ballot);
    });
    if (failure.has_value()) {
      ballot.fail();
    }
    vote(ballot, failure);
    settle();
    choose_candidates();
    join_group();
    finish();
    return request_;
  }

 private:
  /// Receives rank 0's option values and the name of the run. Collective.
  void receive_options(const std::shared_ptr<const Settings>& settings) {
    auto bytes = settings->pack();
    const std::string run = name_of_run();
    std::ranges::copy(std::as_bytes(std::span(run)), std::back_inserter(bytes));
    const auto received = mpi::broadcast(*context_, std::move(bytes));
    std::span<const std::byte> rest(received);
    settings_ = Settings::adopt(settings, rest);
    join_run(std::string(reinterpret_cast<const char*>(rest.data()), rest.size()));
  }

  [[nodiscard]] const FunctionSetObject& object() const { return *request_->parts_.set; }
  [[nodiscard]] const FunctionSet& set() const { return object().set; }
  [[nodiscard]] Problem& problem() const { return *request_->problem_; }

  /// Performs the checks that need no other rank. Local.
  void prepare(mpi::Attempt<RequestParts> parts) {
    if (const auto* error = std::get_if<Error>(&parts)) {
      throw *error;
    }
    request_->context_ = context_;
    request_->parts_ = std::get<RequestParts>(std::move(parts));
    request_->problem_ = object().predefined() ? set().problem(request_->parts_, *context_)
                                               : user_problem(set(), request_->parts_, *context_);
    filter_ = CodeletFilter(settings_->values.word("ADCL_CODELETS"));
    filter_.check(set(), object().siblings);
    check_codelets();
    Hash hash;
    hash.add(set().name).add(problem().signature()).add(settings_->decision_hash);
    if (!object().predefined()) {
      // Sets with the same name may contain different functions, so the address identifies the set: within this
      // process, while the set is alive.
      hash.add(reinterpret_cast<std::uintptr_t>(&object()));
    }
    signature_ = hash.value();
  }

  void check_codelets() {
    const OptionValues& values = settings_->values;
    const bool device = values.toggle("ADCL_DEVICE");
    const bool reproducible = values.toggle("ADCL_REPRODUCIBLE");
    const double memory_limit = values.real("ADCL_MEMORY_LIMIT");
    const auto reason_against = [&](const Codelet& codelet) -> std::string {
      if (!filter_.admits(set().name, codelet.name)) {
        return "excluded by ADCL_CODELETS";
      }
      if (device && codelet.capabilities.touches_data) {
        return "reads the data on the host, but ADCL_DEVICE is 1";
      }
      if (!object().predefined()) {
        return "";
      }
      if (reproducible && !codelet.capabilities.reference_order && problem().depends_on_order()) {
        return "may combine values in another order than MPI does, but ADCL_REPRODUCIBLE is 1";
      }
      if (const auto reason = codelet.algorithm.applicable(problem())) {
        return *reason;
      }
      const auto bytes = codelet.algorithm.bytes(problem());
      if (memory_limit > 0 && static_cast<double>(bytes) > memory_limit) {
        return text("the plan needs ", bytes, " bytes, but ADCL_MEMORY_LIMIT is ", memory_limit);
      }
      return "";
    };
    reasons_.clear();
    std::ranges::transform(set().codelets, std::back_inserter(reasons_), reason_against);
  }

  void add_reasons(mpi::Ballot& ballot) const {
    for (std::size_t i = 0; i < reasons_.size(); ++i) {
      if (!reasons_[i].empty()) {
        ballot.set_mask(i);
      }
    }
  }

  /// Writes this rank's values to the ballot.
  void fill(mpi::Ballot& ballot) {
    const Statement statement = problem().state();
    const Hash kind = Hash().add(set().name).add(set().codelets.size());
    ballot.same("shape", Hash(kind).add(statement.common).value());
    ballot.same("shape in bytes", Hash(kind).add(statement.common_in_bytes).value());
    ballot.largest("packed", static_cast<std::uint64_t>(statement.packed));
    ballot.same("codelets", codelets_hash(object()));
    ballot.same("group", matching_group());
    ballot.same("layout", statement.layout);
    ballot.same("expectations", expectations());
    ballot.same("features", own_features());
    ballot.largest("tags", static_cast<std::uint64_t>(statement.tags));
    ballot.add("sent", statement.balances[0]);
    ballot.add("received", statement.balances[1]);
    ballot.add("identity", Hash().add(static_cast<std::uint64_t>(context_->rank())).add(problem().signature()).value());
    common_things_ = statement.common_things;
    add_reasons(ballot);
  }

  /// Hash of the problems of all ranks: two requests have the same hash if every rank has the same problem in both.
  [[nodiscard]] std::uint64_t identity() const { return combined_.sum("identity"); }

  /// Collective. Throws the same error on all ranks if there is an error on any rank.
  void vote(const mpi::Ballot& ballot, const std::optional<Error>& failure) {
    combined_ = mpi::combine(*context_, ballot);
    excluded_rows_ = combined_;
    if (combined_.failed()) {
      mpi::share_error(context_->comm(), failure);
    }
    const bool packs = packed() != Statement::Packed::nowhere;
    require(combined_.agreed("shape") || (packs && combined_.agreed("shape in bytes")), Code::mismatch,
            "the ranks create different requests: the function set", common_things_,
            " differ; create the same requests in the same order on all ranks");
    require(combined_.agreed("codelets"), Code::mismatch,
            "the function sets of the ranks differ in the names, order, attribute values or wait functions of their "
            "codelets, or in ADCL_Fnctset_set_sharing; create the set with the same calls on all ranks");
  }

  /// The ranks' use of MPI_PACKED.
  [[nodiscard]] Statement::Packed packed() const { return static_cast<Statement::Packed>(combined_.largest("packed")); }

  /// True if data sent as MPI_PACKED are received as another datatype, or vice versa. The same on all ranks.
  [[nodiscard]] bool packed_against_typed() const {
    return packed() == Statement::Packed::against_typed ||
           (packed() == Statement::Packed::somewhere && (!combined_.agreed("shape") || combined_.sum("sent") != 0));
  }

  /// Collective. All conditions here have the same value on all ranks.
  void settle() {
    request_->id_ = context_->next_id();
    Settlement settlement{combined_.agreed("layout"), 0, static_cast<int>(combined_.largest("tags")), request_->id_,
                          packed_against_typed()};
    if (settlement.tags > 0) {
      settlement.first_tag = context_->take_tags(settlement.tags);
      request_->tag_base_ = settlement.first_tag;
      request_->tag_span_ = settlement.tags;
    }
    problem().settle(settlement);
    if (!settlement.alike || settlement.packed_against_typed) {
      check_codelets();
      mpi::Ballot second;
      add_reasons(second);
      excluded_rows_ = mpi::combine(*context_, second);
    }
    const std::array<std::uint64_t, 2> balances = {combined_.sum("sent"), combined_.sum("received")};
    if (balances != std::array<std::uint64_t, 2>{}) {
      problem().verify(*context_, balances);
    }
    if (!object().predefined()) {
      // Separates messages of user-defined codelets from the library's messages.
      request_->user_comm_ = context_->cached_communicator({"user-defined"}, [this] {
        MPI_Comm duplicate = MPI_COMM_NULL;
        mpi::check(MPI_Comm_dup(context_->comm(), &duplicate), "MPI_Comm_dup");
        return duplicate;
      });
    }
  }

  void choose_candidates() {
    std::string all_reasons;
    for (std::size_t i = 0; i < set().codelets.size(); ++i) {
      if (!excluded_rows_.mask(i)) {
        request_->rows_.push_back(from_index<Row>(i));
        continue;
      }
      const std::string& reason = reasons_[i].empty() ? "not applicable on another rank" : reasons_[i];
      all_reasons += request_->excluded_.emplace_back(set().codelets[i].name + ": " + reason) + "; ";
    }
    if (request_->rows_.empty()) {
      all_reasons.resize(all_reasons.size() - 2);
      mpi::share_error(context_->comm(), Error(Code::no_codelet, text("no codelet of ", set().name, " is left for ",
                                                                      problem().describe(), ": ", all_reasons)));
    }
  }

  [[nodiscard]] bool shares() const { return settings_->merge_requests && (object().predefined() || object().sharing); }

  /// Finds the first earlier group with this rank's signature. Returns its number, or 0.
  [[nodiscard]] std::uint64_t matching_group() {
    match_ = shares() ? context_->state<TunerGroups>().find(signature_) : nullptr;
    return match_ != nullptr ? static_cast<std::uint64_t>(match_->subject().id) : 0;
  }

  [[nodiscard]] bool needs_expectations() const {
    return set().expected != nullptr &&
           (settings_->trace != "off" || select::find(settings_->search).uses_expectations);
  }

  /// Hash of the expectations for this rank's problem; 0 if the request does not need them, or if an earlier group may
  /// already have them.
  [[nodiscard]] std::uint64_t expectations() {
    if (match_ != nullptr || !needs_expectations()) {
      return 0;
    }
    expected_ = set().expected(problem());
    Hash hash;
    for (const Expectation& one : expected_) {
      hash.add(std::bit_cast<std::uint64_t>(one.log_time)).add(std::bit_cast<std::uint64_t>(one.first));
    }
    return std::max<std::uint64_t>(hash.value(), 1);
  }

  /// True if results are kept in memory; all ranks then compare the features of problems. A search without expectations
  /// is chosen to measure every candidate, so its results are not kept.
  [[nodiscard]] bool keeps_in_memory() const {
    return settings_->values.word("ADCL_HISTORY") == "memory" && shares() &&
           select::find(settings_->search).uses_expectations;
  }

  /// Hash of this rank's features; 0 if they are not needed, as in expectations().
  [[nodiscard]] std::uint64_t own_features() {
    if (match_ != nullptr || !keeps_in_memory()) {
      return 0;
    }
    features_ = problem().features();
    return hash_of(features_);
  }

  /// Collective if the ranks' features differ.
  [[nodiscard]] Features features_to_store() {
    if (keeps_in_memory()) {
      return common_features(*context_, std::move(features_), combined_.agreed("features"));
    }
    return settings_->values.word("ADCL_HISTORY") == "off" || context_->rank() != 0 ? Features{} : problem().features();
  }

  /// Ranks may have different problems and expectations: rank 0's expectations apply on all ranks. Collective.
  void set_expectations(std::vector<select::Candidate>& list) {
    const bool alike = combined_.agreed("expectations") && combined_.largest("expectations") != 0;
    if (!alike && expected_.empty()) {
      expected_ = set().expected(problem());
    }
    expected_.resize(set().codelets.size());
    if (!alike) {
      mpi::broadcast(*context_, std::as_writable_bytes(std::span(expected_)));
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].expected = expected_[index_of(request_->rows_[i])];
    }
  }

  /// Shares an earlier group if every rank found the same group and the agreed candidates are equal. Both conditions
  /// have the same value on all ranks. Equal signatures imply the same table, so equal rows are equal candidates.
  void join_group() {
    const bool same_match = combined_.agreed("group") && combined_.largest("group") != 0;
    if (same_match && match_->rows() == request_->rows_) {
      request_->group_ = match_;
      merged_ = true;
      return;
    }
    std::vector<select::Candidate> list;
    std::vector<Capabilities> capabilities;
    for (const Row row : request_->rows_) {
      const Codelet& codelet = set().codelets[index_of(row)];
      list.push_back({codelet.name, codelet.attributes});
      capabilities.push_back(codelet.capabilities);
    }
    if (needs_expectations()) {
      set_expectations(list);
    }
    select::Subject subject{request_->id_, set().name, problem().describe(),
                            std::shared_ptr<const AttributeSet>(request_->parts_.set, &set().attributes),
                            std::move(list)};
    // The remaining rows and the settings are the same on all ranks; properties of a rank's datatypes may differ.
    subject.same_bits = settings_->values.toggle("ADCL_REPRODUCIBLE") &&
                        std::ranges::all_of(capabilities, &Capabilities::reference_order);
    subject.overlaps = set().overlaps;
    subject.fallible = !object().predefined();
    subject.runs_ahead = problem().runs_ahead();
    auto stored = ProblemHistory::of(*context_, settings_, subject, features_to_store(), identity(),
                                     similarity_of(object()), keeps_in_memory());
    request_->group_ = std::make_shared<TunerGroup>(context_, std::move(subject), settings_, request_->rows_,
                                                    std::move(capabilities), signature_, identity(), std::move(stored));
    if (shares()) {
      context_->state<TunerGroups>().add(request_->group_);
    }
  }

  void finish() {
    Request& request = *request_;
    request.plans_.set_up(request.rows_.size(), [&request](Candidate c) { return request.make_plan(c); });
    request.deciders_ = request.group_;
    request.update_addresses();
    if (settings_->trace != "off") {
      const select::Subject& subject = request.group_->subject();
      RequestRecord record = request_record(request.id_, subject, context_->size(), *settings_);
      record.merged = merged_;
      record.problem = problem().describe();
      record.features = problem().features();
      record.excluded = request.excluded_;
      for (const auto& candidate : subject.candidates) {
        record.expected.push_back(candidate.expected);
      }
      write_trace(settings_->trace, *context_, record);
    }
  }

  std::shared_ptr<mpi::Context> context_;
  std::shared_ptr<Request> request_;
  std::shared_ptr<const Settings> settings_;
  CodeletFilter filter_;
  const char* common_things_ = "";    ///< Statement::common_things of this rank
  std::vector<std::string> reasons_;  ///< why each row is excluded on this rank; empty: it is not
  std::uint64_t signature_ = 0;
  std::vector<Expectation> expected_;  ///< expectation of each row; may be empty
  Features features_;                  ///< features of this rank's problem, if they are needed
  mpi::Ballot combined_;
  mpi::Ballot excluded_rows_;          ///< its mask marks the excluded rows
  std::shared_ptr<TunerGroup> match_;  ///< the earlier group that this rank could share
  bool merged_ = false;
};

RequestRecord request_record(long long request, const select::Subject& subject, int ranks, const Settings& settings) {
  RequestRecord record;
  record.request = request;
  record.tuner = subject.id;
  record.ranks = ranks;
  record.function_set = subject.function_set;
  record.problem = subject.problem;
  record.candidates = names_of(subject.candidates);
  record.search = settings.search;
  record.outliers = settings.outliers;
  record.options = settings.search_options;
  return record;
}

std::shared_ptr<Request> Request::create(std::shared_ptr<mpi::Context> context, mpi::Attempt<RequestParts> parts,
                                         const std::shared_ptr<const Settings>& settings) {
  return RequestBuilder(std::move(context)).build(std::move(parts), settings);
}

}  // namespace adcl::runtime
