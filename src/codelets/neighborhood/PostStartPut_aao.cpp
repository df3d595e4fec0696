#include "codelets/neighborhood/one_sided/post_start.hpp"

#include "codelets/neighborhood/algorithms.hpp"

namespace adcl::codelets {

const Algorithm PostStartPut_aao = one_sided_algorithm<PostStartPlan<Access::put, false>>();

}  // namespace adcl::codelets
