#include "runtime/agreement.hpp"

#include <algorithm>
#include <limits>

#include "mpi/check.hpp"
#include "mpi/environment.hpp"

namespace adcl::runtime {
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

/// Owns the datatype and the operation of one reduction of ballots. Creating is rare enough not to keep them.
struct BallotType {
  BallotType() {
    mpi::check(MPI_Type_contiguous(static_cast<int>(sizeof(Ballot)), MPI_BYTE, &type), "MPI_Type_contiguous");
    mpi::check(MPI_Type_commit(&type), "MPI_Type_commit");
    mpi::check(MPI_Op_create(&combine_ballots, 1, &op), "MPI_Op_create");
  }
  ~BallotType() {
    MPI_Op_free(&op);
    MPI_Type_free(&type);
  }
  BallotType(const BallotType&) = delete;
  BallotType& operator=(const BallotType&) = delete;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
};

}  // namespace

Agreement::~Agreement() {
  if (active_ && !mpi::is_finalized()) {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
}

void Agreement::post(std::vector<double> numbers, mpi::Context& context) {
  local_ = std::move(numbers);
  reduced_.resize(local_.size());
  mpi::check(MPI_Iallreduce(local_.data(), reduced_.data(), static_cast<int>(local_.size()), MPI_DOUBLE, MPI_MAX,
                            context.comm(), &request_),
             "MPI_Iallreduce");
  active_ = true;
}

std::span<const double> Agreement::wait() {
  mpi::check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
  active_ = false;
  return reduced_;
}

Ballot combine(mpi::Context& context, const Ballot& local) {
  const BallotType ballot;
  Ballot combined;
  mpi::check(MPI_Allreduce(&local, &combined, 1, ballot.type, ballot.op, context.comm()), "MPI_Allreduce");
  return combined;
}

void broadcast(mpi::Context& context, std::span<std::byte> bytes) {
  mpi::check(MPI_Bcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, context.comm()), "MPI_Bcast");
}

std::vector<std::byte> broadcast(mpi::Context& context, std::vector<std::byte> bytes) {
  auto count = static_cast<long long>(bytes.size());
  mpi::check(MPI_Bcast(&count, 1, MPI_LONG_LONG, 0, context.comm()), "MPI_Bcast");
  bytes.resize(static_cast<std::size_t>(count));
  broadcast(context, std::span(bytes));
  return bytes;
}

}  // namespace adcl::runtime
