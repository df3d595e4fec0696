#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/send_irecv_aao.hpp"

namespace adcl::codelets {

const Algorithm SIr_aao_pack = message_algorithm<SendIrecvAao, PackedMessages>();

}  // namespace adcl::codelets
