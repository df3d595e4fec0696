/// \file search_recorded.hpp
/// Searches on recorded tables of real exchanges (bench_codelets).
#pragma once

#include <string>
#include <string_view>

#include "common/document.hpp"

namespace bench {

/// What to replay.
struct Replay {
  std::string search;     ///< one selection logic; empty: all
  unsigned seeds = 0;     ///< programs of each length on each table; 0: as many as usual
  bool programs = false;  ///< add the figures of each program to the context, for tools/search_pairs.py
};

/// Reads "search=NAME", "seeds=N" or "programs"; false for any other word.
bool read_replay_option(std::string_view word, Replay& replay);

/// Replays selection logics on the tables of \p machine, "recorded" (halos in shared memory), "collectives" (in shared
/// memory as well) or "network" (halos), and adds to \p context and \p figures. Collective; the result is on rank 0.
void replay_recorded(const std::string& machine, const Replay& replay, Json& context, Json& figures);

}  // namespace bench
