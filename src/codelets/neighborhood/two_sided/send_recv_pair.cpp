// Pairwise with blocking sends and receives: the lower rank of a link sends first. For messages to itself, a rank uses
// MPI_Sendrecv, because there is no second rank to receive first.
// Source: thesis Table 3.1, rows 8 and 10.
#include "codelets/neighborhood/rows.hpp"
#include "codelets/neighborhood/two_sided/pairwise.hpp"

namespace adcl::codelets {
namespace {

struct SendRecvExchange {
  template <typename Messages>
  static std::optional<std::string> objection(const HaloProblem& problem) {
    return exchange_objection<Messages>(problem);
  }

  template <typename Messages>
  static void run(const Messages& messages, const PairStep& step, const Buffers& buffers, MPI_Comm comm,
                  MPI_Request* /*requests*/) {
    if (step.self) {
      exchange_all(messages, step, buffers, comm);
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

}  // namespace

Rows send_recv_pair() {
  return {
      {.name = "S_R_pair",
       .attributes = attributes(Partners::pair, NonContiguous::ddt, Primitive::send_recv, Completion::none),
       .capabilities = blocking,
       .requirements = needs::nothing,
       .source = source::thesis(8),
       .algorithm = message_algorithm<SendRecvPair, DatatypeMessages>(),
       .expectation = growth::chained},
      {.name = "S_R_pair_pack",
       .attributes = attributes(Partners::pair, NonContiguous::pack, Primitive::send_recv, Completion::none),
       .capabilities = {.touches_data = true},
       .requirements = needs::nothing,
       .source = source::thesis(10),
       .algorithm = message_algorithm<SendRecvPair, PackedMessages>(),
       .expectation = growth::chained},
  };
}

}  // namespace adcl::codelets
