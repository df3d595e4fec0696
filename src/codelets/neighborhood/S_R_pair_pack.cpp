#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/send_recv_pair.hpp"

namespace adcl::codelets {

const Algorithm S_R_pair_pack = message_algorithm<SendRecvPair, PackedMessages>();

}  // namespace adcl::codelets
