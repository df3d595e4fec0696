// Pairwise with MPI_Sendrecv.
// Source: thesis Table 3.1, rows 9 and 11.
#include "codelets/neighborhood/rows.hpp"
#include "codelets/neighborhood/two_sided/pairwise.hpp"

namespace adcl::codelets {
namespace {

struct SendrecvExchange {
  template <typename Messages>
  static std::optional<std::string> objection(const HaloProblem& problem) {
    return exchange_objection<Messages>(problem);
  }

  template <typename Messages>
  static void run(const Messages& messages, const PairStep& step, const Buffers& buffers, MPI_Comm comm,
                  MPI_Request* /*requests*/) {
    exchange_all(messages, step, buffers, comm);
  }
};

template <typename Messages>
using SendrecvPair = PairwisePlan<Messages, SendrecvExchange>;

}  // namespace

Rows sendrecv_pair() {
  return {
      {.name = "Sr_pair",
       .attributes = attributes(Partners::pair, NonContiguous::ddt, Primitive::sendrecv, Completion::none),
       .capabilities = blocking,
       .requirements = needs::nothing,
       .source = source::thesis(9),
       .algorithm = message_algorithm<SendrecvPair, DatatypeMessages>(),
       .expectation = growth::chained},
      {.name = "Sr_pair_pack",
       .attributes = attributes(Partners::pair, NonContiguous::pack, Primitive::sendrecv, Completion::none),
       .capabilities = {.touches_data = true},
       .requirements = needs::nothing,
       .source = source::thesis(11),
       .algorithm = message_algorithm<SendrecvPair, PackedMessages>(),
       .expectation = growth::chained},
  };
}

}  // namespace adcl::codelets
