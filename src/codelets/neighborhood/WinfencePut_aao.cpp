#include "codelets/neighborhood/one_sided/fence.hpp"

#include "codelets/neighborhood/algorithms.hpp"

namespace adcl::codelets {

const Algorithm WinfencePut_aao = one_sided_algorithm<FencePlan<Access::put, false>>();

}  // namespace adcl::codelets
