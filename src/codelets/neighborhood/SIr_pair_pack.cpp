#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/send_irecv_pair.hpp"

namespace adcl::codelets {

const Algorithm SIr_pair_pack = message_algorithm<SendIrecvPair, PackedMessages>();

}  // namespace adcl::codelets
