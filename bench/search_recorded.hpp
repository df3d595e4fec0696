/// \file search_recorded.hpp
/// Searches on recorded tables of real exchanges (bench_codelets).
#pragma once

#include <string>

#include "document.hpp"

namespace bench {

/// Replays every selection logic on the tables of \p machine, "recorded" (halos in shared memory), "collectives" (in
/// shared memory as well) or "network" (halos), and adds to \p context and \p figures. Collective; the result is on
/// rank 0.
void replay_recorded(const std::string& machine, Json& context, Json& figures);

}  // namespace bench
