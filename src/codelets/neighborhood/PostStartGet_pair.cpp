#include "codelets/neighborhood/one_sided/post_start.hpp"

#include "codelets/neighborhood/algorithms.hpp"

namespace adcl::codelets {

const Algorithm PostStartGet_pair = one_sided_algorithm<PostStartPlan<Access::get, true>>();

}  // namespace adcl::codelets
