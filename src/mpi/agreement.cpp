#include "mpi/agreement.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "mpi/check.hpp"
#include "mpi/datatype.hpp"
#include "mpi/environment.hpp"

namespace adcl::mpi {
namespace {

static_assert(sizeof(Ballot) % sizeof(std::uint64_t) == 0);

// MPI fixes the signature. NOLINTNEXTLINE(readability-non-const-parameter)
void combine_ballots(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const auto* other = static_cast<const Ballot*>(in);
  auto* mine = static_cast<Ballot*>(inout);
  for (int n = 0; n < *count; ++n, ++other, ++mine) {
    for (std::size_t i = 0; i < mine->maxima.size(); ++i) {
      mine->maxima[i] = std::max(mine->maxima[i], other->maxima[i]);
    }
    for (std::size_t i = 0; i < mine->sums.size(); ++i) {
      mine->sums[i] += other->sums[i];
    }
    for (std::size_t i = 0; i < mine->masks.size(); ++i) {
      mine->masks[i] |= other->masks[i];
    }
  }
}

/// The datatype and the operation with which ballots are reduced. Local.
class BallotBox {
 public:
  BallotBox() {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(MPI_Type_contiguous(static_cast<int>(sizeof(Ballot)), MPI_BYTE, &type), "MPI_Type_contiguous");
    type_ = Datatype(type);
    check(MPI_Type_commit(&type), "MPI_Type_commit");
    check(MPI_Op_create(&combine_ballots, 1, &op_), "MPI_Op_create");
  }
  ~BallotBox() {
    if (op_ != MPI_OP_NULL && !is_finalized()) {
      MPI_Op_free(&op_);
    }
  }
  BallotBox(const BallotBox&) = delete;
  BallotBox& operator=(const BallotBox&) = delete;
  [[nodiscard]] MPI_Datatype type() const noexcept { return type_.get(); }
  [[nodiscard]] MPI_Op op() const noexcept { return op_; }

 private:
  Datatype type_;
  MPI_Op op_ = MPI_OP_NULL;
};

/// A rank that could not make it while the others already reduce would leave them waiting. So it is agreed on before,
/// and kept when all ranks have it: each finds it there, or none does. Collective at the first call for \p context.
const BallotBox& box_of(Context& context) {
  auto& kept = context.state<std::unique_ptr<const BallotBox>>();
  if (kept == nullptr) {
    std::unique_ptr<const BallotBox> box;
    do_together(context, [&] { box = std::make_unique<const BallotBox>(); });
    kept = std::move(box);
  }
  return *kept;
}

}  // namespace

Agreement::~Agreement() {
  if (active_ && !is_finalized()) {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
}

void Agreement::post(std::vector<double> numbers, Context& context) {
  local_ = std::move(numbers);
  reduced_.resize(local_.size());
  check(MPI_Iallreduce(local_.data(), reduced_.data(), static_cast<int>(local_.size()), MPI_DOUBLE, MPI_MAX,
                       context.comm(), &request_),
        "MPI_Iallreduce");
  active_ = true;
}

std::span<const double> Agreement::wait() {
  check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
  active_ = false;
  return reduced_;
}

Ballot combine(Context& context, const Ballot& local) {
  const BallotBox& box = box_of(context);
  Ballot combined;
  check(MPI_Allreduce(&local, &combined, 1, box.type(), box.op(), context.comm()), "MPI_Allreduce");
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
