#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/isend_irecv_pair.hpp"

namespace adcl::codelets {

const Algorithm IsIr_pair_pack = message_algorithm<IsendIrecvPair, PackedMessages>();

}  // namespace adcl::codelets
