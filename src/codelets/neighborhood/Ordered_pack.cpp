#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/dimension_by_dimension.hpp"

namespace adcl::codelets {

const Algorithm Ordered_pack = dimension_algorithm<PackedMessages>();

}  // namespace adcl::codelets
