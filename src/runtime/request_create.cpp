// How a request comes to be: every rank says what it has, one reduction combines it, all ranks come to the same end.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "mpi/check.hpp"
#include "runtime/emethod_groups.hpp"
#include "runtime/neighbor_check.hpp"
#include "runtime/request.hpp"
#include "runtime/request_problem.hpp"
#include "runtime/trace.hpp"

namespace adcl::runtime {
namespace {

/// Places in Ballot::maxima.
enum Maximum : std::size_t {
  failed,
  shape,
  not_shape,
  codelets,
  not_codelets,
  layout,
  not_layout,
  group,
  not_group,
  tags
};

EmethodGroups& groups_of(mpi::Context& context) { return context.state<EmethodGroups>(); }

std::uint64_t layout_hash(const HaloProblem& problem) {
  Hash hash;
  for (const HaloField& field : problem.fields) {
    hash.add(field.send.element->layout_hash()).add(field.receive.element->layout_hash());
  }
  return hash.value();
}

/// Everything that must be the same of a set's codelets on all ranks, in their order.
std::uint64_t codelets_hash(const FunctionSetObject& object) {
  Hash hash;
  for (const Attribute& attribute : object.set.attributes) {
    hash.add(attribute.name);
    for (const auto& value : attribute.values) {
      hash.add(static_cast<std::uint64_t>(value.value)).add(value.name);
    }
  }
  for (const Codelet& codelet : object.set.codelets) {
    hash.add(codelet.name).add_all(codelet.attributes);
    hash.add(static_cast<std::uint64_t>(codelet.capabilities.nonblocking));
  }
  return hash.add(static_cast<std::uint64_t>(object.sharing.load())).value();
}

}  // namespace

/// Steps of Request::create, in order.
class RequestBuilder {
 public:
  explicit RequestBuilder(std::shared_ptr<mpi::Context> context)
      : context_(std::move(context)), request_(new Request()) {}

  std::shared_ptr<Request> build(const std::function<RequestParts()>& parts, const Settings& settings) {
    settings_ = Settings::unpack(broadcast(*context_, settings.pack()));
    nodes_ = &context_->nodes();
    const auto failure = error_of([&] { prepare(parts); });
    vote(failure);
    request_->id_ = context_->next_id();
    if (halo_ != nullptr) {
      halo_->request_id = request_->id_;
      take_tags();
      check_edges();
    } else {
      request_->user_comm_ = communicator_of_users();
    }
    choose_candidates();
    join_group();
    finish();
    return request_;
  }

 private:
  /// Local: everything that this rank can check alone.
  void prepare(const std::function<RequestParts()>& parts) {
    request_->context_ = context_;
    request_->parts_ = parts();
    const FunctionSet& set = request_->parts_.set->set;
    if (request_->parts_.set->predefined()) {
      auto problem = halo_problem(request_->parts_);
      halo_ = problem.get();
      halo_->nodes = nodes_;
      halo_->window_defect = context_->window_defect();
      request_->problem_ = std::move(problem);
    } else {
      request_->problem_ = user_problem(set, request_->parts_, context_->size());
    }
    std::vector<std::string> names;
    for (const Codelet& codelet : set.codelets) {
      names.push_back(codelet.name);
    }
    settings_.codelets.check(set.name, request_->parts_.set->predefined(), names);
    judge_rows();
    Hash hash;
    hash.add(set.name).add(request_->problem_->signature()).add(settings_.decision_hash);
    if (!request_->parts_.set->predefined()) {
      // Sets of the same name may have other functions. Only compared within this process, while the set is alive.
      hash.add(reinterpret_cast<std::uintptr_t>(request_->parts_.set.get()));
    }
    if (halo_ != nullptr) {
      hash.add(layout_hash(*halo_));
    }
    signature_ = hash.value();
  }

  void judge_rows() {
    const FunctionSet& set = request_->parts_.set->set;
    reasons_.clear();
    for (const Codelet& codelet : set.codelets) {
      reasons_.push_back(reason_against(codelet, set.name));
    }
  }

  [[nodiscard]] std::string reason_against(const Codelet& codelet, const std::string& set) const {
    if (!settings_.codelets.admits(set, codelet.name)) {
      return "excluded by ADCL_CODELETS";
    }
    if (settings_.device && codelet.capabilities.touches_data) {
      return "it reads the data on the host, and ADCL_DEVICE is 1";
    }
    if (halo_ == nullptr) {
      return "";
    }
    if (const auto reason = codelet.algorithm.applicable(*halo_)) {
      return *reason;
    }
    const auto bytes = codelet.algorithm.bytes(*halo_);
    if (settings_.memory_limit > 0 && static_cast<double>(bytes) > settings_.memory_limit) {
      return text("its plan needs ", bytes, " bytes and ADCL_MEMORY_LIMIT is ", settings_.memory_limit);
    }
    return "";
  }

  void add_reasons(Ballot& ballot) const {
    for (std::size_t i = 0; i < reasons_.size(); ++i) {
      if (!reasons_[i].empty()) {
        ballot.set_mask(i);
      }
    }
  }

  [[nodiscard]] std::uint64_t shape_hash() const {
    Hash hash;
    hash.add(request_->parts_.set->set.name).add(request_->parts_.set->set.codelets.size());
    hash.add(halo_ != nullptr ? halo_->neighborhood.kind_name() : "user");
    hash.add(request_->parts_.fields.size());
    if (halo_ != nullptr) {
      for (const HaloField& field : halo_->fields) {
        hash.add(static_cast<std::uint64_t>(field.same_buffer));
      }
      hash.add(static_cast<std::uint64_t>(halo_->topology_id));
    }
    return hash.value();
  }

  /// Collective. Throws the same error everywhere when something is wrong anywhere.
  void vote(const std::optional<Error>& failure) {
    Ballot ballot;
    ballot.maxima[failed] = failure.has_value() ? 1 : 0;
    if (!failure.has_value()) {
      ballot.maxima[shape] = shape_hash();
      ballot.maxima[not_shape] = ~shape_hash();
      ballot.maxima[codelets] = codelets_hash(*request_->parts_.set);
      ballot.maxima[not_codelets] = ~ballot.maxima[codelets];
      ballot.maxima[group] = matching_group();
      ballot.maxima[not_group] = ~ballot.maxima[group];
      add_reasons(ballot);
      if (halo_ != nullptr) {
        ballot.maxima[layout] = layout_hash(*halo_);
        ballot.maxima[not_layout] = ~layout_hash(*halo_);
        ballot.maxima[tags] = static_cast<std::uint64_t>(halo_->tag_span);
        add_messages(ballot, *halo_);
      }
    }
    combined_ = combine(*context_, ballot);
    if (combined_.maxima[failed] != 0) {
      share_error(*context_, failure);
    }
    require(combined_.maxima[shape] == ~combined_.maxima[not_shape], Code::mismatch,
            "the ranks create different requests: the function set, the topology, the number of fields, or whether one "
            "vector or two are used differ; all ranks must create the same requests in the same order");
    require(
        combined_.maxima[codelets] == ~combined_.maxima[not_codelets], Code::mismatch,
        "the codelets of the function set differ between the ranks: their names, order or attribute values, whether "
        "they are in one part or in two (ADCL_Function_create_async), or ADCL_Fnctset_set_sharing; all ranks must "
        "make the set alike");
    if (halo_ != nullptr && combined_.maxima[layout] != ~combined_.maxima[not_layout]) {
      halo_->uniform_layout = false;
      judge_rows();
      Ballot second;
      add_reasons(second);
      combined_.masks = combine(*context_, second).masks;
    }
  }

  /// Messages of the user's codelets must not meet those of the library's. Collective.
  [[nodiscard]] std::shared_ptr<mpi::Communicator> communicator_of_users() const {
    return context_->cached_communicator({"user-defined"}, [this] {
      MPI_Comm duplicate = MPI_COMM_NULL;
      mpi::check(MPI_Comm_dup(context_->comm(), &duplicate), "MPI_Comm_dup");
      return duplicate;
    });
  }

  void take_tags() {
    halo_->tag_span = static_cast<int>(combined_.maxima[tags]);
    request_->tag_base_ = context_->take_tags(halo_->tag_span);
    request_->tag_span_ = halo_->tag_span;
    halo_->tag_base = request_->tag_base_;
  }

  /// Neighbours know each other and messages are what their receivers expect, or all ranks throw.
  void check_edges() const {
    require(combined_.sums[0] == 0, Code::mismatch,
            "the neighbours do not fit together: a rank sends to one that does not receive from it; check the "
            "topology's neighbours and directions");
    if (combined_.sums[1] != 0) {
      share_error(*context_, error_of([&] { compare_messages(*halo_, context_->comm()); }));
    }
  }

  void choose_candidates() {
    const FunctionSet& set = request_->parts_.set->set;
    std::string all_reasons;
    for (std::size_t i = 0; i < set.codelets.size(); ++i) {
      if (!combined_.mask(i)) {
        request_->rows_.push_back(index_at<Row>(i));
        continue;
      }
      const std::string& reason = reasons_[i].empty() ? "not applicable on another rank" : reasons_[i];
      excluded_.push_back(set.codelets[i].name + ": " + reason);
      all_reasons += (all_reasons.empty() ? "" : "; ") + excluded_.back();
    }
    if (request_->rows_.empty()) {
      share_error(*context_, Error(Code::no_codelet, text("no codelet of ", set.name, " is left for ",
                                                          request_->problem_->describe(), ": ", all_reasons)));
    }
  }

  [[nodiscard]] bool shares() const {
    const FunctionSetObject& set = *request_->parts_.set;
    return settings_.merge_requests && (set.predefined() || set.sharing);
  }

  /// Finds the first earlier group with this rank's signature. Its number, or 0.
  [[nodiscard]] std::uint64_t matching_group() {
    match_ = shares() ? groups_of(*context_).find(signature_) : nullptr;
    return match_ != nullptr ? static_cast<std::uint64_t>(match_->subject().id) : 0;
  }

  [[nodiscard]] std::vector<search::Candidate> candidates() const {
    std::vector<search::Candidate> list;
    for (const Row row : request_->rows_) {
      const Codelet& codelet = request_->parts_.set->set.codelets[place(row)];
      list.push_back({codelet.name, codelet.attributes});
    }
    return list;
  }

  [[nodiscard]] static bool same_candidates(const EmethodGroup& known, const std::vector<search::Candidate>& list) {
    return std::equal(known.subject().candidates.begin(), known.subject().candidates.end(), list.begin(), list.end(),
                      [](const search::Candidate& a, const search::Candidate& b) { return a.name == b.name; });
  }

  /// Shares an earlier group when every rank found the same one, and the candidates, which are agreed on, are equal:
  /// both conditions have the same value on all ranks.
  void join_group() {
    auto list = candidates();
    const bool same_match = combined_.maxima[group] != 0 && combined_.maxima[group] == ~combined_.maxima[not_group];
    if (same_match && same_candidates(*match_, list)) {
      request_->group_ = match_;
      merged_ = true;
      return;
    }
    const FunctionSet& set = request_->parts_.set->set;
    std::vector<bool> nonblocking;
    for (const Row row : request_->rows_) {
      nonblocking.push_back(set.codelets[place(row)].capabilities.nonblocking);
    }
    EmethodSubject subject{request_->id_, set.name, request_->problem_->describe(), set.attributes, std::move(list)};
    request_->group_ =
        std::make_shared<EmethodGroup>(context_, std::move(subject), settings_, std::move(nonblocking), signature_);
    if (shares()) {
      groups_of(*context_).add(request_->group_);
    }
  }

  void finish() {
    Request& request = *request_;
    request.plans_.set_up(request.rows_.size(), [&request](Candidate c) { return request.make_plan(c); });
    request_->take_addresses();
    if (settings_.trace != "off") {
      std::vector<std::string> names;
      for (const auto& candidate : candidates()) {
        names.push_back(candidate.name);
      }
      note(settings_.trace, *context_,
           RequestRecord{request_->id_, request_->group_->subject().id, context_->size(), merged_,
                         request_->parts_.set->set.name, request_->problem_->describe(), names, excluded_});
    }
    request_->excluded_ = std::move(excluded_);
  }

  std::shared_ptr<mpi::Context> context_;
  std::shared_ptr<Request> request_;
  HaloProblem* halo_ = nullptr;
  Settings settings_;
  const Nodes* nodes_ = nullptr;       ///< of the context
  std::vector<std::string> reasons_;   ///< against each row on this rank; empty: none
  std::vector<std::string> excluded_;  ///< "name: reason"
  std::uint64_t signature_ = 0;
  Ballot combined_;
  std::shared_ptr<EmethodGroup> match_;  ///< the earlier group that this rank would share
  bool merged_ = false;
};

std::shared_ptr<Request> Request::create(std::shared_ptr<mpi::Context> context,
                                         const std::function<RequestParts()>& parts, const Settings& settings) {
  return RequestBuilder(std::move(context)).build(parts, settings);
}

}  // namespace adcl::runtime
