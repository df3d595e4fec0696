#include "mpi/agreement.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "mpi/check.hpp"
#include "mpi/datatype.hpp"
#include "mpi/environment.hpp"

namespace adcl::mpi {

/// The datatype and the operation with which votes are reduced. Local.
class VotesReduction {
 public:
  VotesReduction() {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(MPI_Type_contiguous(static_cast<int>(sizeof(Ballot::Votes)), MPI_BYTE, &type), "MPI_Type_contiguous");
    type_ = Datatype(type);
    check(MPI_Type_commit(&type), "MPI_Type_commit");
    check(MPI_Op_create(&combine, 1, &op_), "MPI_Op_create");
  }
  ~VotesReduction() {
    if (op_ != MPI_OP_NULL && !is_finalized()) {
      MPI_Op_free(&op_);
    }
  }
  VotesReduction(const VotesReduction&) = delete;
  VotesReduction& operator=(const VotesReduction&) = delete;
  [[nodiscard]] MPI_Datatype type() const noexcept { return type_.get(); }
  [[nodiscard]] MPI_Op op() const noexcept { return op_; }

  /// If one rank failed to create the datatype or the operation, the other ranks would wait in the reduction. Therefore
  /// the ranks first agree that all of them succeeded, and the context stores both objects on all ranks or on none.
  /// Collective at the first call for \p context.
  static const VotesReduction& of(Context& context) {
    auto& kept = context.state<std::unique_ptr<const VotesReduction>>();
    if (kept == nullptr) {
      std::unique_ptr<const VotesReduction> made;
      run_collectively(context.comm(), [&] { made = std::make_unique<const VotesReduction>(); });
      kept = std::move(made);
    }
    return *kept;
  }

 private:
  // MPI fixes the signature. NOLINTNEXTLINE(readability-non-const-parameter)
  static void combine(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
    const auto* other = static_cast<const Ballot::Votes*>(in);
    auto* mine = static_cast<Ballot::Votes*>(inout);
    const auto merge = [](auto& own, const auto& others, auto operation) {
      std::transform(own.begin(), own.end(), others.begin(), own.begin(), operation);
    };
    const auto larger = [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); };
    for (int n = 0; n < *count; ++n, ++other, ++mine) {
      mine->failed = std::max(mine->failed, other->failed);
      merge(mine->maxima, other->maxima, larger);
      merge(mine->complements, other->complements, larger);
      merge(mine->sums, other->sums, std::plus<>());
      merge(mine->masks, other->masks, std::bit_or<>());
    }
  }

  Datatype type_;
  MPI_Op op_ = MPI_OP_NULL;
};

Agreement::~Agreement() {
  if (active_ && !is_finalized()) {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
}

void Agreement::post(std::vector<double> numbers, Context& context) {
  require(!active_, Code::internal, "post() of an agreement in flight");
  local_ = std::move(numbers);
  reduced_.resize(local_.size());
  check(MPI_Iallreduce(local_.data(), reduced_.data(), static_cast<int>(local_.size()), MPI_DOUBLE, MPI_MAX,
                       context.comm(), &request_),
        "MPI_Iallreduce");
  active_ = true;
}

std::span<const double> Agreement::wait() {
  require(active_, Code::internal, "wait() for an agreement that was not posted");
  check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
  active_ = false;
  return reduced_;
}

void Ballot::fail() {
  votes_ = {};
  votes_.failed = 1;
}

void Ballot::same(const char* name, std::uint64_t value) {
  votes_.maxima.at(values_.size()) = value;
  votes_.complements.at(values_.size()) = ~value;
  values_.push_back(name);
}

void Ballot::add(const char* name, std::uint64_t value) {
  votes_.sums.at(sums_.size()) = value;
  sums_.push_back(name);
}

bool Ballot::agreed(const char* name) const {
  const std::size_t i = index(values_, name);
  return votes_.maxima.at(i) == ~votes_.complements.at(i);
}

std::size_t Ballot::index(std::span<const char* const> names, const char* name) {
  const auto found =
      std::ranges::find(names, std::string_view(name), [](const char* one) { return std::string_view(one); });
  require(found != names.end(), Code::internal, "the ballot has no '", name, "'");
  return static_cast<std::size_t>(found - names.begin());
}

Ballot combine(Context& context, const Ballot& local) {
  const VotesReduction& reduction = VotesReduction::of(context);
  Ballot combined = local;
  check(MPI_Allreduce(MPI_IN_PLACE, &combined.votes_, 1, reduction.type(), reduction.op(), context.comm()),
        "MPI_Allreduce");
  return combined;
}

std::vector<std::string> share_texts(Context& context, const std::vector<std::string>& own) {
  std::vector<int> owners;
  owners.reserve(own.size());
  for (const std::string& text : own) {
    owners.push_back(text.empty() ? context.size() : context.rank());
  }
  check(MPI_Allreduce(MPI_IN_PLACE, owners.data(), static_cast<int>(owners.size()), MPI_INT, MPI_MIN, context.comm()),
        "MPI_Allreduce");
  std::vector<std::string> all(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    const int owner = owners[i];
    if (owner < context.size()) {
      int length = static_cast<int>(own[i].size());
      check(MPI_Bcast(&length, 1, MPI_INT, owner, context.comm()), "MPI_Bcast");
      all[i] = own[i];
      all[i].resize(static_cast<std::size_t>(length));
      check(MPI_Bcast(all[i].data(), length, MPI_CHAR, owner, context.comm()), "MPI_Bcast");
      all[i] = context.size() > 1 ? text("rank ", owner, ": ", all[i]) : all[i];
    }
  }
  return all;
}

void broadcast(Context& context, std::span<std::byte> bytes) {
  check(MPI_Bcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, context.comm()), "MPI_Bcast");
}

std::vector<std::byte> broadcast(Context& context, std::vector<std::byte> bytes) {
  auto count = static_cast<long long>(bytes.size());
  check(MPI_Bcast(&count, 1, MPI_LONG_LONG, 0, context.comm()), "MPI_Bcast");
  bytes.resize(static_cast<std::size_t>(count));
  broadcast(context, std::span(bytes));
  return bytes;
}

}  // namespace adcl::mpi
