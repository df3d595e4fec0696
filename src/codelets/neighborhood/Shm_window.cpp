#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/shared/shared_messages.hpp"

namespace adcl::codelets {

const Algorithm Shm_window = shared_messages_algorithm<Joining::none>();

}  // namespace adcl::codelets
