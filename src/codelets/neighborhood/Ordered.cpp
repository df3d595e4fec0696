#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/dimension_by_dimension.hpp"

namespace adcl::codelets {

const Algorithm Ordered = dimension_algorithm<DatatypeMessages>();

}  // namespace adcl::codelets
