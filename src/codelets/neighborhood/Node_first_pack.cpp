#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/node/other_nodes_first.hpp"

namespace adcl::codelets {

const Algorithm Node_first_pack = node_algorithm<PackedMessages>();

}  // namespace adcl::codelets
