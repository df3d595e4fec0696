// Like isend_irecv_aao.cpp, but each message is unpacked as soon as it arrives, while others are in flight.
// Source: LLNL Comb, `wait_any` and `wait_some` of received messages.
#include <vector>

#include "codelets/neighborhood/messages.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "mpi/check.hpp"

namespace adcl::codelets {
namespace {

/// \tparam Completion  has `static int next(std::vector<MPI_Request>&, std::vector<int>& indices, bool wait)`. It
///                     stores the positions of completed requests in `indices`, and returns their number, or
///                     MPI_UNDEFINED if no request is active. If `wait`, it waits for at least one.
template <typename Messages, typename Completion>
class UnpackOnArrival final : public Plan {
 public:
  UnpackOnArrival(const HaloProblem& problem, MPI_Comm comm, const Buffers& buffers)
      : messages_(problem, buffers),
        comm_(comm),
        receives_(messages_.receives(), MPI_REQUEST_NULL),
        sends_(messages_.sends(), MPI_REQUEST_NULL),
        indices_(receives_.size()) {}

  void start(const Buffers& buffers) override {
    buffers_ = buffers;
    for (std::size_t j = 0; j < receives_.size(); ++j) {
      const Message in = messages_.incoming(j, buffers);
      if (in.peer != MPI_PROC_NULL) {
        mpi::check(MPI_Irecv(in.address, in.count, in.type, in.peer, in.tag, comm_, &receives_[j]), "MPI_Irecv");
      }
    }
    for (const std::size_t i : messages_.send_order()) {
      const Message out = messages_.outgoing(i, buffers);
      if (out.peer != MPI_PROC_NULL) {
        mpi::check(MPI_Isend(out.address, out.count, out.type, out.peer, out.tag, comm_, &sends_[i]), "MPI_Isend");
      }
    }
    // This rank's messages to itself have arrived.
    for (std::size_t j = 0; j < receives_.size(); ++j) {
      if (receives_[j] == MPI_REQUEST_NULL) {
        messages_.arrived(j, buffers);
      }
    }
  }

  bool test() override {
    if (!unpack_arrivals(false)) {
      return false;
    }
    int done = 0;
    mpi::check(MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    return done != 0;
  }

  void wait() override {
    unpack_arrivals(true);
    mpi::check(MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

 private:
  /// True when no receive is left.
  bool unpack_arrivals(bool wait) {
    while (true) {
      const int completed = Completion::next(receives_, indices_, wait);
      if (completed == MPI_UNDEFINED) {
        return true;
      }
      if (completed == 0) {
        return false;
      }
      for (int k = 0; k < completed; ++k) {
        messages_.arrived(static_cast<std::size_t>(indices_[static_cast<std::size_t>(k)]), buffers_);
      }
    }
  }

  Messages messages_;
  MPI_Comm comm_;
  std::vector<MPI_Request> receives_;
  std::vector<MPI_Request> sends_;
  std::vector<int> indices_;
  Buffers buffers_;
};

struct OneByOne {
  static int next(std::vector<MPI_Request>& requests, std::vector<int>& indices, bool wait) {
    const int count = static_cast<int>(requests.size());
    int index = MPI_UNDEFINED;
    int completed = 1;
    if (wait) {
      mpi::check(MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE), "MPI_Waitany");
    } else {
      mpi::check(MPI_Testany(count, requests.data(), &index, &completed, MPI_STATUS_IGNORE), "MPI_Testany");
    }
    if (completed == 0) {
      return 0;
    }
    if (index == MPI_UNDEFINED) {
      return MPI_UNDEFINED;
    }
    indices.front() = index;
    return 1;
  }
};

struct SeveralAtOnce {
  static int next(std::vector<MPI_Request>& requests, std::vector<int>& indices, bool wait) {
    const int count = static_cast<int>(requests.size());
    int completed = MPI_UNDEFINED;
    if (wait) {
      mpi::check(MPI_Waitsome(count, requests.data(), &completed, indices.data(), MPI_STATUSES_IGNORE), "MPI_Waitsome");
    } else {
      mpi::check(MPI_Testsome(count, requests.data(), &completed, indices.data(), MPI_STATUSES_IGNORE), "MPI_Testsome");
    }
    return completed;
  }
};

template <typename Messages>
using UnpackOneByOne = UnpackOnArrival<Messages, OneByOne>;
template <typename Messages>
using UnpackSeveralAtOnce = UnpackOnArrival<Messages, SeveralAtOnce>;

}  // namespace

Rows unpack_on_arrival() {
  return {
      {.name = "Waitany_pack",
       .attributes = attributes(Partners::aao, NonContiguous::pack, Primitive::isend_irecv, Completion::waitany),
       .capabilities = {.nonblocking = true, .touches_data = true},
       .requirements = needs::nothing,
       .source = source::comb,
       .algorithm = message_algorithm<UnpackOneByOne, PackedMessages>(),
       .expectation = growth::flat},
      {.name = "Waitsome_pack",
       .attributes = attributes(Partners::aao, NonContiguous::pack, Primitive::isend_irecv, Completion::waitsome),
       .capabilities = {.nonblocking = true, .touches_data = true},
       .requirements = needs::nothing,
       .source = source::comb,
       .algorithm = message_algorithm<UnpackSeveralAtOnce, PackedMessages>(),
       .expectation = growth::flat},
      {.name = "Joined_waitany_pack",
       .attributes = attributes(Partners::joined, NonContiguous::pack, Primitive::isend_irecv, Completion::waitany),
       .capabilities = {.nonblocking = true, .touches_data = true},
       .requirements = needs::several_messages,
       .source = source::combining,
       .algorithm = message_algorithm<UnpackOneByOne, JoinedPackedMessages>(),
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
