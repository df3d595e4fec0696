/// \file search_recorded.hpp
/// Searches on recorded tables of real exchanges (bench_codelets).
#pragma once

#include <string>
#include <string_view>

#include "common/document.hpp"

namespace bench {

/// Selects the searches to replay.
struct Replay {
  std::string search;     ///< one selection logic; empty: all
  unsigned seeds = 0;     ///< programs of each length on each table; 0: the default number
  bool programs = false;  ///< add the figures of each program to the context, for tools/search_pairs.py
};

/// Parses "search=NAME", "seeds=N" or "programs"; returns false for any other word.
bool read_replay_option(std::string_view word, Replay& replay);

/// Replays selection logics on the tables of \p machine: "recorded" (halos in shared memory), "collectives" (also in
/// shared memory) or "network" (halos). Adds to \p context and \p figures. Collective; the result is on rank 0.
void replay_recorded(const std::string& machine, const Replay& replay, Json& context, Json& figures);

}  // namespace bench
