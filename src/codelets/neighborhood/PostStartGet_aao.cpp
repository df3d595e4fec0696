#include "codelets/neighborhood/one_sided/post_start.hpp"

#include "codelets/neighborhood/algorithms.hpp"

namespace adcl::codelets {

const Algorithm PostStartGet_aao = one_sided_algorithm<PostStartPlan<Access::get, false>>();

}  // namespace adcl::codelets
