// Pairwise; the receives of a step are posted, its sends are blocking.
// Source: thesis Table 3.1, rows 5 and 7.
#include "codelets/neighborhood/rows.hpp"
#include "codelets/neighborhood/two_sided/pairwise.hpp"

namespace adcl::codelets {
namespace {

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

}  // namespace

Rows send_irecv_pair() {
  return {
      {.name = "SIr_pair",
       .attributes = attributes(Partners::pair, NonContiguous::ddt, Primitive::send_irecv, Completion::waitall),
       .capabilities = blocking,
       .requirements = needs::nothing,
       .source = source::thesis(5),
       .algorithm = message_algorithm<SendIrecvPair, DatatypeMessages>(),
       .expectation = growth::chained},
      {.name = "SIr_pair_pack",
       .attributes = attributes(Partners::pair, NonContiguous::pack, Primitive::send_irecv, Completion::waitall),
       .capabilities = {.touches_data = true},
       .requirements = needs::nothing,
       .source = source::thesis(7),
       .algorithm = message_algorithm<SendIrecvPair, PackedMessages>(),
       .expectation = growth::chained},
  };
}

}  // namespace adcl::codelets
