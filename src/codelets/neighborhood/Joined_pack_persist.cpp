#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/persistent_aao.hpp"

namespace adcl::codelets {

const Algorithm Joined_pack_persist = message_algorithm<PersistentAao, JoinedPackedMessages>();

}  // namespace adcl::codelets
