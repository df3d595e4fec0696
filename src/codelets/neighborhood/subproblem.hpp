/// \file subproblem.hpp
/// Part of an exchange, for codelets that treat some neighbours differently.
#pragma once

#include <algorithm>
#include <iterator>

#include "core/halo_problem.hpp"

namespace adcl::codelets {

/// Makes \p part the exchange of \p whole with those transfers only for which \p wanted(transfer) is true.
template <typename Predicate>
void take_transfers(HaloProblem& part, const HaloProblem& whole, Predicate wanted) {
  part.neighborhood = whole.neighborhood;
  part.send_grid = whole.send_grid;
  part.receive_grid = whole.receive_grid;
  part.send_widths = whole.send_widths;
  part.receive_widths = whole.receive_widths;
  part.send_element = whole.send_element;
  part.receive_element = whole.receive_element;
  part.same_buffer = whole.same_buffer;
  part.tag_base = whole.tag_base;
  part.tag_span = whole.tag_span;
  part.topology_id = whole.topology_id;
  part.request_id = whole.request_id;
  part.uniform_layout = whole.uniform_layout;
  part.node_of_rank = whole.node_of_rank;
  std::copy_if(whole.sends.begin(), whole.sends.end(), std::back_inserter(part.sends), wanted);
  std::copy_if(whole.receives.begin(), whole.receives.end(), std::back_inserter(part.receives), wanted);
}

}  // namespace adcl::codelets
