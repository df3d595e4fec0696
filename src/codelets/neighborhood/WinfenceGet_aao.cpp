#include "codelets/neighborhood/one_sided/fence.hpp"

#include "codelets/neighborhood/algorithms.hpp"

namespace adcl::codelets {

const Algorithm WinfenceGet_aao = one_sided_algorithm<FencePlan<Access::get, false>>();

}  // namespace adcl::codelets
