/// \file send_irecv_pair.hpp
/// Pairwise; the receives of a step are posted, its sends are blocking.
/// Source: thesis Table 3.1, rows 5 and 7.
#pragma once

#include "codelets/neighborhood/two_sided/pairwise.hpp"

namespace adcl::codelets {

struct SendIrecvExchange {
  template <typename Messages>
  static void run(const Messages& messages, const PairStep& step, const Buffers& buffers, MPI_Comm comm,
                  MPI_Request* requests) {
    post_receives(messages, step, buffers, comm, requests);
    send_all(messages, step, buffers, comm);
    complete_receives(messages, step, buffers, requests);
  }
};

template <typename Messages>
using SendIrecvPair = PairwisePlan<Messages, SendIrecvExchange>;

}  // namespace adcl::codelets
