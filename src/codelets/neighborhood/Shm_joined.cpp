#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/shared/shared_messages.hpp"

namespace adcl::codelets {

const Algorithm Shm_joined = shared_messages_algorithm<Joining::per_rank>();

}  // namespace adcl::codelets
