#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/send_irecv_pair.hpp"

namespace adcl::codelets {

const Algorithm SIr_pair = message_algorithm<SendIrecvPair, DatatypeMessages>();

}  // namespace adcl::codelets
