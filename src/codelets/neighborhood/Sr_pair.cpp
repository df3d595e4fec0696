#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/sendrecv_pair.hpp"

namespace adcl::codelets {

const Algorithm Sr_pair = message_algorithm<SendrecvPair, DatatypeMessages>();

}  // namespace adcl::codelets
