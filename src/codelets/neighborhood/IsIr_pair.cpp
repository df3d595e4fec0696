#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/isend_irecv_pair.hpp"

namespace adcl::codelets {

const Algorithm IsIr_pair = message_algorithm<IsendIrecvPair, DatatypeMessages>();

}  // namespace adcl::codelets
