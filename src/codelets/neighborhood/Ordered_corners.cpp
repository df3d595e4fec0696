#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/corner_propagation.hpp"

namespace adcl::codelets {

const Algorithm Ordered_corners = corner_algorithm<DatatypeMessages>();

}  // namespace adcl::codelets
