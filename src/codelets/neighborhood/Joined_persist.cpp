#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/persistent_aao.hpp"

namespace adcl::codelets {

const Algorithm Joined_persist = message_algorithm<PersistentAao, JoinedDatatypeMessages>();

}  // namespace adcl::codelets
