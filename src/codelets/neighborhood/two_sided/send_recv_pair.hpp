/// \file send_recv_pair.hpp
/// Pairwise with blocking sends and receives: the lower rank of a link sends first. A rank and itself use MPI_Sendrecv,
/// because there is no second one to receive first.
/// Source: thesis Table 3.1, rows 8 and 10.
#pragma once

#include "codelets/neighborhood/two_sided/pairwise.hpp"
#include "codelets/neighborhood/two_sided/sendrecv_pair.hpp"

namespace adcl::codelets {

struct SendRecvExchange {
  template <typename Messages>
  static std::optional<std::string> objection(const HaloProblem& problem) {
    return SendrecvExchange::objection<Messages>(problem);
  }

  template <typename Messages>
  static void run(const Messages& messages, const PairStep& step, const Buffers& buffers, MPI_Comm comm,
                  MPI_Request* requests) {
    if (step.self) {
      SendrecvExchange::run(messages, step, buffers, comm, requests);
    } else if (step.first) {
      send_all(messages, step, buffers, comm);
      receive_all(messages, step, buffers, comm);
    } else {
      receive_all(messages, step, buffers, comm);
      send_all(messages, step, buffers, comm);
    }
  }
};

template <typename Messages>
using SendRecvPair = PairwisePlan<Messages, SendRecvExchange>;

}  // namespace adcl::codelets
