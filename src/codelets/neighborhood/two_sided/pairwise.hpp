/// \file pairwise.hpp
/// Exchanges with one neighbor after the other, in the order of HaloProblem::pair_schedule(). Circular waits are
/// impossible with any primitive, because both ends of a link have completed all their earlier links when they reach
/// this link. Source: thesis Table 3.1, the codelets named `_pair`; the `ordered` of paper Fig. 1.
#pragma once

#include <algorithm>
#include <vector>

#include "codelets/neighborhood/blocking_plan.hpp"
#include "codelets/neighborhood/messages.hpp"
#include "mpi/check.hpp"
#include "mpi/defects.hpp"

namespace adcl::codelets {

/// \tparam Exchange  may have `static std::optional<std::string> objection<Messages>(problem)`; has
///                   `static void run(const Messages&, const PairStep&, const Buffers&, MPI_Comm, MPI_Request*)`,
///                   which exchanges the messages of a step; the array has one request per message
template <typename Messages, typename Exchange>
class PairwisePlan final : public BlockingPlan {
 public:
  PairwisePlan(const HaloProblem& problem, MPI_Comm comm, const Buffers& buffers)
      : messages_(problem, buffers), comm_(comm), schedule_(problem.pair_schedule()) {
    std::size_t most = 0;
    for (const PairStep& step : schedule_) {
      most = std::max(most, step.sends.size() + step.receives.size());
    }
    requests_.resize(most, MPI_REQUEST_NULL);
  }

  static std::optional<std::string> objection(const HaloProblem& problem) {
    if constexpr (requires { Exchange::template objection<Messages>(problem); }) {
      return Exchange::template objection<Messages>(problem);
    }
    return std::nullopt;
  }

  void start(const Buffers& buffers) override {
    for (const PairStep& step : schedule_) {
      Exchange::run(messages_, step, buffers, comm_, requests_.data());
    }
  }

 private:
  Messages messages_;
  MPI_Comm comm_;
  std::vector<PairStep> schedule_;
  std::vector<MPI_Request> requests_;
};

/// Posts the receives of a step.
template <typename Messages>
void post_receives(const Messages& messages, const PairStep& step, const Buffers& buffers, MPI_Comm comm,
                   MPI_Request* requests) {
  for (const int j : step.receives) {
    const Message in = messages.incoming(static_cast<std::size_t>(j), buffers);
    mpi::check(MPI_Irecv(in.address, in.count, in.type, in.peer, in.tag, comm, requests++), "MPI_Irecv");
  }
}

/// Waits for the receives of post_receives(), one after the other.
template <typename Messages>
void complete_receives(const Messages& messages, const PairStep& step, const Buffers& buffers, MPI_Request* requests) {
  for (const int j : step.receives) {
    mpi::check(MPI_Wait(requests++, MPI_STATUS_IGNORE), "MPI_Wait");
    messages.arrived(static_cast<std::size_t>(j), buffers);
  }
}

template <typename Messages>
void send_all(const Messages& messages, const PairStep& step, const Buffers& buffers, MPI_Comm comm) {
  for (const int i : step.sends) {
    const Message out = messages.outgoing(static_cast<std::size_t>(i), buffers);
    mpi::check(MPI_Send(out.address, out.count, out.type, out.peer, out.tag, comm), "MPI_Send");
  }
}

template <typename Messages>
void receive_all(const Messages& messages, const PairStep& step, const Buffers& buffers, MPI_Comm comm) {
  for (const int j : step.receives) {
    const Message in = messages.incoming(static_cast<std::size_t>(j), buffers);
    mpi::check(MPI_Recv(in.address, in.count, in.type, in.peer, in.tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    messages.arrived(static_cast<std::size_t>(j), buffers);
  }
}

/// Reason why exchange_all() is not applicable to a step of the problem, or nothing.
template <typename Messages>
std::optional<std::string> exchange_objection(const HaloProblem& problem) {
  const bool defect = mpi::self_copy_defect != nullptr && !Messages::touches_data && sends_to_itself(problem);
  return defect ? std::optional<std::string>(mpi::self_copy_defect) : std::nullopt;
}

/// Combines every send of a step with a receive in MPI_Sendrecv. If a link has more messages in one direction than in
/// the other, the surplus is paired with MPI_PROC_NULL. Both ends list the messages of a link in the same order, so the
/// k-th call of one end matches the k-th call of the other end.
template <typename Messages>
void exchange_all(const Messages& messages, const PairStep& step, const Buffers& buffers, MPI_Comm comm) {
  const std::size_t calls = std::max(step.sends.size(), step.receives.size());
  for (std::size_t k = 0; k < calls; ++k) {
    const bool receiving = k < step.receives.size();
    const Message out =
        k < step.sends.size() ? messages.outgoing(static_cast<std::size_t>(step.sends[k]), buffers) : Message{};
    const Message in = receiving ? messages.incoming(static_cast<std::size_t>(step.receives[k]), buffers) : Message{};
    mpi::check(MPI_Sendrecv(out.address, out.count, out.type, out.peer, out.tag, in.address, in.count, in.type, in.peer,
                            in.tag, comm, MPI_STATUS_IGNORE),
               "MPI_Sendrecv");
    if (receiving) {
      messages.arrived(static_cast<std::size_t>(step.receives[k]), buffers);
    }
  }
}

}  // namespace adcl::codelets
