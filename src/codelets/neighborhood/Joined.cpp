#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/isend_irecv_aao.hpp"

namespace adcl::codelets {

const Algorithm Joined = message_algorithm<IsendIrecvAao, JoinedDatatypeMessages>();

}  // namespace adcl::codelets
