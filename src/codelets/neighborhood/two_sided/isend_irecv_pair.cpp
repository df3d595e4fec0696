// Pairwise; the messages of a step are posted together and waited for one by one.
// Source: thesis Table 3.1, rows 1 and 3.
#include "codelets/neighborhood/rows.hpp"
#include "codelets/neighborhood/two_sided/pairwise.hpp"

namespace adcl::codelets {
namespace {

struct IsendIrecvExchange {
  template <typename Messages>
  static void run(const Messages& messages, const PairStep& step, const Buffers& buffers, MPI_Comm comm,
                  MPI_Request* requests) {
    post_receives(messages, step, buffers, comm, requests);
    MPI_Request* const send_requests = requests + step.receives.size();
    MPI_Request* request = send_requests;
    for (const int i : step.sends) {
      const Message out = messages.outgoing(static_cast<std::size_t>(i), buffers);
      mpi::check(MPI_Isend(out.address, out.count, out.type, out.peer, out.tag, comm, request++), "MPI_Isend");
    }
    complete_receives(messages, step, buffers, requests);
    for (std::size_t i = 0; i < step.sends.size(); ++i) {
      mpi::check(MPI_Wait(send_requests + i, MPI_STATUS_IGNORE), "MPI_Wait");
    }
  }
};

template <typename Messages>
using IsendIrecvPair = PairwisePlan<Messages, IsendIrecvExchange>;

}  // namespace

Rows isend_irecv_pair() {
  return {
      {.name = "IsIr_pair",
       .attributes = attributes(Partners::pair, NonContiguous::ddt, Primitive::isend_irecv, Completion::waitall),
       .capabilities = blocking,
       .requirements = needs::nothing,
       .source = source::thesis(1),
       .algorithm = message_algorithm<IsendIrecvPair, DatatypeMessages>(),
       .expectation = growth::chained},
      {.name = "IsIr_pair_pack",
       .attributes = attributes(Partners::pair, NonContiguous::pack, Primitive::isend_irecv, Completion::waitall),
       .capabilities = {.touches_data = true},
       .requirements = needs::nothing,
       .source = source::thesis(3),
       .algorithm = message_algorithm<IsendIrecvPair, PackedMessages>(),
       .expectation = growth::chained},
  };
}

}  // namespace adcl::codelets
