#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/sendrecv_pair.hpp"

namespace adcl::codelets {

const Algorithm Sr_pair_pack = message_algorithm<SendrecvPair, PackedMessages>();

}  // namespace adcl::codelets
