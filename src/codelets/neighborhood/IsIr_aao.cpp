#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/isend_irecv_aao.hpp"

namespace adcl::codelets {

const Algorithm IsIr_aao = message_algorithm<IsendIrecvAao, DatatypeMessages>();

}  // namespace adcl::codelets
