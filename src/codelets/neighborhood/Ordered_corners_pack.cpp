#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/corner_propagation.hpp"

namespace adcl::codelets {

const Algorithm Ordered_corners_pack = corner_algorithm<PackedMessages>();

}  // namespace adcl::codelets
