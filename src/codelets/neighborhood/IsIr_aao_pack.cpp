#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/isend_irecv_aao.hpp"

namespace adcl::codelets {

const Algorithm IsIr_aao_pack = message_algorithm<IsendIrecvAao, PackedMessages>();

}  // namespace adcl::codelets
