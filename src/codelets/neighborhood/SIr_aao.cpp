#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/send_irecv_aao.hpp"

namespace adcl::codelets {

const Algorithm SIr_aao = message_algorithm<SendIrecvAao, DatatypeMessages>();

}  // namespace adcl::codelets
