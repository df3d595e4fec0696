// Prefix reductions, over the ranks up to this rank (scan) or before this rank (exscan). All codelets keep the order of
// the ranks.
#include "codelets/collectives/reductions/fold.hpp"
#include "codelets/collectives/rows.hpp"
#include "codelets/collectives/segments.hpp"

namespace adcl::codelets {
namespace {

Piece prefix_of(const Script& script) { return {Place::receive, script.input().type, 0, script.input().count}; }

bool excludes_own(const Script& script) { return script.problem().operation == Operation::exscan; }

/// A chain: from rank to rank, in pieces.
template <int segment_bytes>
void chain(Script& script) {
  const int me = script.rank();
  const int p = script.size();
  const bool exclusive = excludes_own(script);
  std::int64_t done = 0;
  for (const Piece& segment : segments_of(script.input(), segment_bytes)) {
    const Piece target = prefix_of(script).part(done, segment.count);
    done += segment.count;
    if (me == 0) {
      if (!exclusive) {
        script.copy(segment, target);
      }
      if (p > 1) {
        script.send(1, segment);
      }
      script.end_round();
      continue;
    }
    const bool passes_on = me + 1 < p;
    const Piece arrived = script.scratch_like(segment);
    script.receive(me - 1, arrived);
    const Piece sum = script.scratch_like(segment);
    if (!exclusive || passes_on) {
      script.copy(segment, sum);
      script.combine(arrived, sum);
    }
    script.copy(exclusive ? arrived : sum, target);
    script.end_round();
    if (passes_on) {
      script.send(me + 1, sum);
    }
  }
}

/// Recursive doubling: rounds combine the values of up to 1, 2, 4, ... preceding ranks.
void doubling(Script& script) {
  const int me = script.rank();
  const int p = script.size();
  const Piece input = script.input();
  const bool exclusive = excludes_own(script);
  const Piece window = script.scratch_like(input);
  const Piece arrived = script.scratch_like(input);
  const Piece before = script.scratch_like(input);
  bool any_before = false;
  script.copy(input, window);
  script.end_round();
  for (int distance = 1; distance < p; distance *= 2) {
    if (me + distance < p) {
      script.send(me + distance, window);
    }
    if (me >= distance) {
      script.receive(me - distance, arrived);
      if (exclusive && any_before) {
        script.combine(arrived, before);
      } else if (exclusive) {
        script.copy(arrived, before);
      }
      any_before = true;
      script.combine(arrived, window);
    }
    script.end_round();
  }
  if (!exclusive || any_before) {
    script.copy(exclusive ? before : window, prefix_of(script));
  }
}

/// Up a binomial tree and down again: fewer messages than recursive doubling, but twice the number of rounds. An
/// exclusive scan also shifts the result by one rank.
void binomial(Script& script) {
  const int me = script.rank();
  const int p = script.size();
  const Piece input = script.input();
  const bool exclusive = excludes_own(script);
  const Piece sum = exclusive ? script.scratch_like(input) : prefix_of(script);
  const Piece arrived = script.scratch_like(input);
  script.copy(input, sum);
  script.end_round();
  int distance = 1;
  for (; distance < p; distance *= 2) {
    const int place = (me + 1) % (2 * distance);
    if (place == 0) {
      script.receive(me - distance, arrived);
      script.combine(arrived, sum);
    } else if (place == distance && me + distance < p) {
      script.send(me + distance, sum);
    }
    script.end_round();
  }
  for (distance /= 2; distance >= 1; distance /= 2) {
    const int place = (me + 1) % (2 * distance);
    if (place == 0 && me + distance < p) {
      script.send(me + distance, sum);
    } else if (place == distance && me >= distance) {
      script.receive(me - distance, arrived);
      script.combine(arrived, sum);
    }
    script.end_round();
  }
  if (exclusive && me + 1 < p) {
    script.send(me + 1, sum);
  }
  if (exclusive && me > 0) {
    script.receive(me - 1, prefix_of(script));
  }
}

/// Every rank receives the values of all ranks before it and combines them itself.
void linear_scan(Script& script) {
  const int me = script.rank();
  const Piece input = script.input();
  const bool exclusive = excludes_own(script);
  for (int rank = me + 1; rank < script.size(); ++rank) {
    script.send(rank, input);
  }
  std::vector<Piece> values;
  for (int rank = 0; rank < me; ++rank) {
    values.push_back(script.scratch_like(input));
    script.receive(rank, values.back());
  }
  if (!exclusive) {
    values.push_back(me > 0 ? script.scratch_like(input) : input);
    script.copy(input, values.back());
  }
  if (values.empty()) {
    return;
  }
  Fold fold(script, values.front(), false);
  for (std::size_t i = 1; i < values.size(); ++i) {
    fold.append(values[i]);
  }
  script.copy(fold.value(), prefix_of(script));
}

}  // namespace

Rows scans() {
  constexpr auto prefix = "Sanders and Traeff, Parallel prefix (scan) algorithms for MPI, EuroPVM/MPI 2006";
  return {
      row<&chain<0>, Needs{.ranks = 1}>("Chain", {Family::chain, 0}, prefix, "p"),
      row<&doubling, Needs{}>("Doubling", {Family::doubling}, prefix, "log p"),
      row<&binomial, Needs{.ranks = 3}>("Binomial", {.family = Family::tree, .radix = 2}, prefix, "log p"),
      row<&linear_scan, Needs{}>("Linear", {Family::linear}, prefix, "p"),
      shared_row<&chain<0>, Needs{}>("Chain", {Family::chain, 0}, prefix, "p"),
      shared_row<&doubling, Needs{.ranks = 3}>("Doubling", {Family::doubling}, prefix, "log p"),
      row<&chain<32768>, Needs{.segment_bytes = 32768}>("Chain_32k", {Family::chain, 32768}, prefix, "p"),
  };
}

}  // namespace adcl::codelets
