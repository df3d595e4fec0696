#include "codelets/neighborhood/one_sided/fence.hpp"

#include "codelets/neighborhood/algorithms.hpp"

namespace adcl::codelets {

const Algorithm WinfenceGet_pair = one_sided_algorithm<FencePlan<Access::get, true>>();

}  // namespace adcl::codelets
