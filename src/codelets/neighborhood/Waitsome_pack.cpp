#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/unpack_on_arrival.hpp"

namespace adcl::codelets {

const Algorithm Waitsome_pack = message_algorithm<UnpackSeveralAtOnce, PackedMessages>();

}  // namespace adcl::codelets
