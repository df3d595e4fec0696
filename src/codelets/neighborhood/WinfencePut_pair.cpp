#include "codelets/neighborhood/one_sided/fence.hpp"

#include "codelets/neighborhood/algorithms.hpp"

namespace adcl::codelets {

const Algorithm WinfencePut_pair = one_sided_algorithm<FencePlan<Access::put, true>>();

}  // namespace adcl::codelets
