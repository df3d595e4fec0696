// How a request comes to be: every rank says what it has, one reduction combines it, all ranks come to the same end.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "mpi/check.hpp"
#include "runtime/request.hpp"
#include "runtime/request_problem.hpp"
#include "runtime/trace.hpp"

namespace adcl::runtime {
namespace {

/// Places in Ballot::maxima.
enum Maximum : std::size_t { failed, shape, not_shape, layout, not_layout, group, not_group, tags };

/// Groups of a communicator that later requests can share, in the order of their creation.
struct Groups {
  std::vector<std::weak_ptr<EmethodGroup>> all;
};

Groups& groups_of(mpi::Context& context) {
  if (context.runtime_state == nullptr) {
    context.runtime_state = std::make_shared<Groups>();
  }
  return *static_cast<Groups*>(context.runtime_state.get());
}

std::uint64_t edge_hash(int from, int to, int tag, std::int64_t bytes) {
  return Hash()
      .add(static_cast<std::uint64_t>(from))
      .add(static_cast<std::uint64_t>(to))
      .add(static_cast<std::uint64_t>(tag))
      .add(static_cast<std::uint64_t>(bytes))
      .value();
}

std::int64_t bytes_of(const HaloProblem& problem, const Transfer& transfer, Way way) {
  return transfer.region.count() * problem.array(transfer, way).element->size_bytes();
}

std::uint64_t layout_hash(const HaloProblem& problem) {
  Hash hash;
  for (const HaloField& field : problem.fields) {
    hash.add(field.send.element->layout_hash()).add(field.receive.element->layout_hash());
  }
  return hash.value();
}

}  // namespace

/// Steps of Request::create, in order.
class RequestBuilder {
 public:
  explicit RequestBuilder(std::shared_ptr<mpi::Context> context)
      : context_(std::move(context)), request_(new Request()) {}

  std::shared_ptr<Request> build(const std::function<RequestParts()>& parts, const std::vector<std::string>& options) {
    settings_ = Settings::parse(broadcast(*context_, options));
    nodes_ = context_->nodes();
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
      halo_->node_of_rank = nodes_;
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

  void add_edges(Ballot& ballot) const {
    for (const Transfer& out : halo_->sends) {
      ballot.sums[0] += edge_hash(context_->rank(), out.peer, out.tag, 0);
      ballot.sums[1] += edge_hash(context_->rank(), out.peer, out.tag, bytes_of(*halo_, out, Way::out));
    }
    for (const Transfer& in : halo_->receives) {
      ballot.sums[0] -= edge_hash(in.peer, context_->rank(), in.tag, 0);
      ballot.sums[1] -= edge_hash(in.peer, context_->rank(), in.tag, bytes_of(*halo_, in, Way::in));
    }
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
      ballot.maxima[group] = matching_group();
      ballot.maxima[not_group] = ~matching_group();
      add_reasons(ballot);
      if (halo_ != nullptr) {
        ballot.maxima[layout] = layout_hash(*halo_);
        ballot.maxima[not_layout] = ~layout_hash(*halo_);
        ballot.maxima[tags] = static_cast<std::uint64_t>(halo_->tag_span);
        add_edges(ballot);
      }
    }
    combined_ = combine(*context_, ballot);
    if (combined_.maxima[failed] != 0) {
      share_error(*context_, failure);
    }
    require(combined_.maxima[shape] == ~combined_.maxima[not_shape], Code::mismatch,
            "the ranks create different requests: the function set, the topology, the number of fields, or whether one "
            "vector or two are used differ; all ranks must create the same requests in the same order");
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
    constexpr std::int64_t key = -1;  // the codelets' keys are not negative
    return context_->cached_communicator(key, [this] {
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

  /// Neighbours know each other and messages are as long as their receivers expect, or all ranks throw.
  void check_edges() const {
    require(combined_.sums[0] == 0, Code::mismatch,
            "the neighbours do not fit together: a rank sends to one that does not receive from it; check the "
            "topology's neighbours and directions");
    if (combined_.sums[1] != 0) {
      share_error(*context_, error_of([&] { compare_sizes(); }));
    }
  }

  /// Collective over neighbours, which are known to fit together. Throws on ranks whose incoming messages do not fit.
  void compare_sizes() const {
    std::vector<long long> out;
    std::vector<long long> in(halo_->receives.size());
    std::vector<MPI_Request> requests;
    for (const Transfer& transfer : halo_->sends) {
      out.push_back(bytes_of(*halo_, transfer, Way::out));
    }
    for (std::size_t i = 0; i < halo_->receives.size(); ++i) {
      const Transfer& transfer = halo_->receives[i];
      mpi::check(MPI_Irecv(&in[i], 1, MPI_LONG_LONG, transfer.peer, halo_->tag_base + transfer.tag, context_->comm(),
                           &requests.emplace_back()),
                 "MPI_Irecv");
    }
    for (std::size_t i = 0; i < halo_->sends.size(); ++i) {
      const Transfer& transfer = halo_->sends[i];
      mpi::check(MPI_Isend(&out[i], 1, MPI_LONG_LONG, transfer.peer, halo_->tag_base + transfer.tag, context_->comm(),
                           &requests.emplace_back()),
                 "MPI_Isend");
    }
    mpi::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto expected = bytes_of(*halo_, halo_->receives[i], Way::in);
      require(in[i] == expected, Code::mismatch, "receives ", expected, " bytes from rank ", halo_->receives[i].peer,
              ", which sends ", in[i], ": halo widths, block sizes, nc or datatypes of the two do not fit together");
    }
  }

  void choose_candidates() {
    const FunctionSet& set = request_->parts_.set->set;
    std::string all_reasons;
    for (std::size_t i = 0; i < set.codelets.size(); ++i) {
      if (!combined_.mask(i)) {
        request_->rows_.push_back(static_cast<int>(i));
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

  /// Number of the first earlier group with this rank's signature, or 0.
  [[nodiscard]] std::uint64_t matching_group() const {
    if (settings_.merge_requests) {
      for (const auto& candidate : groups_of(*context_).all) {
        const auto known = candidate.lock();
        if (known != nullptr && known->signature() == signature_) {
          return static_cast<std::uint64_t>(known->subject().id);
        }
      }
    }
    return 0;
  }

  [[nodiscard]] std::vector<search::Candidate> candidates() const {
    std::vector<search::Candidate> list;
    for (const int row : request_->rows_) {
      const Codelet& codelet = request_->parts_.set->set.codelets[static_cast<std::size_t>(row)];
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
    auto& all = groups_of(*context_).all;
    std::erase_if(all, [](const std::weak_ptr<EmethodGroup>& known) { return known.expired(); });
    if (combined_.maxima[group] != 0 && combined_.maxima[group] == ~combined_.maxima[not_group]) {
      for (const auto& candidate : all) {
        const auto known = candidate.lock();
        if (static_cast<std::uint64_t>(known->subject().id) == combined_.maxima[group] &&
            same_candidates(*known, list)) {
          request_->group_ = known;
          merged_ = true;
          return;
        }
      }
    }
    const FunctionSet& set = request_->parts_.set->set;
    std::vector<bool> nonblocking;
    for (const int row : request_->rows_) {
      nonblocking.push_back(set.codelets[static_cast<std::size_t>(row)].capabilities.nonblocking);
    }
    EmethodSubject subject{request_->id_, set.name, request_->problem_->describe(), set.attributes, std::move(list)};
    request_->group_ =
        std::make_shared<EmethodGroup>(context_, std::move(subject), settings_, std::move(nonblocking), signature_);
    all.push_back(request_->group_);
  }

  void finish() {
    request_->plans_.resize(request_->rows_.size());
    request_->unusable_.resize(request_->rows_.size(), false);
    request_->take_addresses();
    if (settings_.trace != "off") {
      std::vector<std::string> names;
      for (const auto& candidate : candidates()) {
        names.push_back(candidate.name);
      }
      note(settings_.trace,
           RequestRecord{request_->id_, request_->group_->subject().id, merged_, request_->parts_.set->set.name,
                         request_->problem_->describe(), names, excluded_});
    }
  }

  std::shared_ptr<mpi::Context> context_;
  std::shared_ptr<Request> request_;
  HaloProblem* halo_ = nullptr;
  Settings settings_;
  std::span<const int> nodes_;         ///< of the context
  std::vector<std::string> reasons_;   ///< against each row on this rank; empty: none
  std::vector<std::string> excluded_;  ///< for the trace
  std::uint64_t signature_ = 0;
  Ballot combined_;
  bool merged_ = false;
};

std::shared_ptr<Request> Request::create(std::shared_ptr<mpi::Context> context,
                                         const std::function<RequestParts()>& parts,
                                         const std::vector<std::string>& options) {
  return RequestBuilder(std::move(context)).build(parts, options);
}

}  // namespace adcl::runtime
