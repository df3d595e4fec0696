#include "codelets/neighborhood/post_start.hpp"

#include "codelets/neighborhood/algorithms.hpp"

namespace adcl::codelets {

const Algorithm PostStartGet_aao = one_sided_algorithm<PostStartPlan<Access::get, false>>();

}  // namespace adcl::codelets
