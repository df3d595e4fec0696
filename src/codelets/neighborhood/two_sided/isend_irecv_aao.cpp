// The rows of isend_irecv_aao.hpp: with and without packing, and with one message for all transfers between two ranks.
#include "codelets/neighborhood/two_sided/isend_irecv_aao.hpp"

#include "codelets/neighborhood/rows.hpp"

namespace adcl::codelets {

Rows isend_irecv_aao() {
  return {
      {.name = "IsIr_aao",
       .attributes = attributes(Partners::aao, NonContiguous::ddt, Primitive::isend_irecv, Completion::waitall),
       .capabilities = {.nonblocking = true},
       .requirements = needs::nothing,
       .source = source::thesis(0),
       .algorithm = message_algorithm<IsendIrecvAao, DatatypeMessages>(),
       .expectation = growth::flat},
      {.name = "IsIr_aao_pack",
       .attributes = attributes(Partners::aao, NonContiguous::pack, Primitive::isend_irecv, Completion::waitall),
       .capabilities = {.nonblocking = true, .touches_data = true},
       .requirements = needs::nothing,
       .source = source::thesis(2),
       .algorithm = message_algorithm<IsendIrecvAao, PackedMessages>(),
       .expectation = growth::flat},
      {.name = "Joined",
       .attributes = attributes(Partners::joined, NonContiguous::ddt, Primitive::isend_irecv, Completion::waitall),
       .capabilities = {.nonblocking = true, .fixed_several = true},
       .requirements = needs::several_messages,
       .source = source::combining,
       .algorithm = message_algorithm<IsendIrecvAao, JoinedDatatypeMessages>(),
       .expectation = growth::flat},
      {.name = "Joined_pack",
       .attributes = attributes(Partners::joined, NonContiguous::pack, Primitive::isend_irecv, Completion::waitall),
       .capabilities = {.nonblocking = true, .touches_data = true},
       .requirements = needs::several_messages,
       .source = source::combining,
       .algorithm = message_algorithm<IsendIrecvAao, JoinedPackedMessages>(),
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
