#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/unpack_on_arrival.hpp"

namespace adcl::codelets {

const Algorithm Joined_waitany_pack = message_algorithm<UnpackOneByOne, JoinedPackedMessages>();

}  // namespace adcl::codelets
