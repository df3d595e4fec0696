#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/unpack_on_arrival.hpp"

namespace adcl::codelets {

const Algorithm Waitany_pack = message_algorithm<UnpackOneByOne, PackedMessages>();

}  // namespace adcl::codelets
