// Sentences that explain why the winner has won and the others have not.
#include "core/error.hpp"
#include "select/batch_search.hpp"

namespace adcl::select {

std::string BatchSearch::explanation(int loser, int winner) const {
  const char* const relation = judged_s(loser) > judged_s(winner) ? "slower: " : "as fast, but later in the table: ";
  return text(relation, duration(judged_s(loser)), " against ", duration(judged_s(winner)), " of ",
              candidate(winner).name);
}

std::string BatchSearch::reason_for(int winner) const {
  const std::string& name = candidate(winner).name;
  if (usable_count() == 1) {
    return text(name, " is the only candidate", count() > 1 ? " left" : "");
  }
  if (!measured(winner)) {
    return text(name, " is the first candidate; none could be measured");
  }
  return sentence(winner);
}

std::string BatchSearch::sentence(int winner) const {
  const std::string& name = candidate(winner).name;
  int known = 0;
  int equal = 0;
  int next = -1;
  for (int i = 0; i < count(); ++i) {
    if (!usable(i) || !measured(i)) {
      continue;
    }
    ++known;
    if (i != winner) {
      equal += judged_s(i) == judged_s(winner) ? 1 : 0;
      next = next < 0 || judged_s(i) < judged_s(next) ? i : next;
    }
  }
  const std::string time = duration(judged_s(winner));
  if (next < 0) {
    return text(name, " is the only candidate that was measured (", time, ")");
  }
  if (equal > 0) {
    return text(name, " is the first in the table of ", equal + 1, " candidates with the lowest time of ", known,
                " measured ones, ", time);
  }
  return text(name, " has the lowest time of ", known, " measured candidates, ", time, "; the next is ",
              candidate(next).name, " with ", duration(judged_s(next)));
}

}  // namespace adcl::select
