/// \file isend_irecv_aao.hpp
/// Posts all receives and all sends at once, and completes them together.
/// Source: thesis Table 3.1, rows 0 and 2; the `fcfs` of paper Fig. 1.
#pragma once

#include <vector>

#include "codelets/neighborhood/messages.hpp"
#include "mpi/check.hpp"
#include "mpi/context.hpp"

namespace adcl::codelets {

template <typename Messages>
class IsendIrecvAao final : public Plan {
 public:
  IsendIrecvAao(const HaloProblem& problem, MPI_Comm comm, const Buffers& buffers)
      : messages_(problem, buffers),
        comm_(comm),
        requests_(messages_.sends() + messages_.receives(), MPI_REQUEST_NULL) {}

  void start(const Buffers& buffers) override {
    buffers_ = buffers;
    std::size_t r = 0;
    for (std::size_t i = 0; i < messages_.receives(); ++i) {
      const Message in = messages_.incoming(i, buffers);
      mpi::check(MPI_Irecv(in.address, in.count, in.type, in.peer, in.tag, comm_, &requests_[r++]), "MPI_Irecv");
    }
    for (const std::size_t i : messages_.send_order()) {
      const Message out = messages_.outgoing(i, buffers);
      mpi::check(MPI_Isend(out.address, out.count, out.type, out.peer, out.tag, comm_, &requests_[r++]), "MPI_Isend");
    }
    active_ = true;
  }

  bool test() override {
    int done = 0;
    mpi::check(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
               "MPI_Testall");
    if (done != 0) {
      finish();
    }
    return done != 0;
  }

  void wait() override {
    mpi::check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    finish();
  }

 private:
  void finish() {
    if (!active_) {
      return;
    }
    active_ = false;
    for (std::size_t i = 0; i < messages_.receives(); ++i) {
      messages_.arrived(i, buffers_);
    }
  }

  Messages messages_;
  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;
  Buffers buffers_;
  bool active_ = false;
};

}  // namespace adcl::codelets
