#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/two_sided/persistent_aao.hpp"

namespace adcl::codelets {

const Algorithm Persist_aao_pack = message_algorithm<PersistentAao, PackedMessages>();

}  // namespace adcl::codelets
