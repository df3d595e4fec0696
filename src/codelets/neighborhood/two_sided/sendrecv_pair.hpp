/// \file sendrecv_pair.hpp
/// Pairwise with MPI_Sendrecv. A link with more messages in one direction than in the other pairs the surplus with
/// nobody; both ends list the messages of a link in the same order, so the k-th call of one meets the k-th of the
/// other. Source: thesis Table 3.1, rows 9 and 11.
#pragma once

#include "codelets/neighborhood/two_sided/pairwise.hpp"
#include "mpi/defects.hpp"

namespace adcl::codelets {

struct SendrecvExchange {
  template <typename Messages>
  static std::optional<std::string> objection(const HaloProblem& problem) {
    const bool defect = mpi::self_copy_defect != nullptr && !Messages::touches_data && sends_to_itself(problem);
    return defect ? std::optional<std::string>(mpi::self_copy_defect) : std::nullopt;
  }

  template <typename Messages>
  static void run(const Messages& messages, const PairStep& step, const Buffers& buffers, MPI_Comm comm,
                  MPI_Request* /*requests*/) {
    const std::size_t calls = std::max(step.sends.size(), step.receives.size());
    for (std::size_t k = 0; k < calls; ++k) {
      const bool receiving = k < step.receives.size();
      const Message out =
          k < step.sends.size() ? messages.outgoing(static_cast<std::size_t>(step.sends[k]), buffers) : Message{};
      const Message in = receiving ? messages.incoming(static_cast<std::size_t>(step.receives[k]), buffers) : Message{};
      mpi::check(MPI_Sendrecv(out.address, out.count, out.type, out.peer, out.tag, in.address, in.count, in.type,
                              in.peer, in.tag, comm, MPI_STATUS_IGNORE),
                 "MPI_Sendrecv");
      if (receiving) {
        messages.arrived(static_cast<std::size_t>(step.receives[k]), buffers);
      }
    }
  }
};

template <typename Messages>
using SendrecvPair = PairwisePlan<Messages, SendrecvExchange>;

}  // namespace adcl::codelets
