#include "codelets/collectives/schedule.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "codelets/collectives/call_defects.hpp"

namespace adcl::codelets {
namespace {

constexpr std::int64_t alignment = 64;

std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

bool same_place(const Piece& a, const Piece& b) {
  return a.place == b.place && a.offset == b.offset && a.type == b.type;
}

}  // namespace

Script::Among::Among(Script& script, std::vector<int> members) : script_(script) {
  script_.members_ = std::move(members);
  const auto& all = script_.members_;
  script_.rank_ = static_cast<int>(std::find(all.begin(), all.end(), script_.problem_.rank) - all.begin());
  script_.size_ = static_cast<int>(all.size());
  script_.root_ = 0;
}

Script::Among::~Among() {
  script_.members_.clear();
  script_.rank_ = script_.problem_.rank;
  script_.size_ = script_.problem_.size;
  script_.root_ = script_.problem_.root;
}

Script::Script(const CollectiveProblem& problem)
    : problem_(problem),
      rank_(problem.rank),
      size_(problem.size),
      root_(problem.root),
      rounds_(1),
      truncates_mixed_(truncates_mixed_messages(*problem.machine)) {
  const bool exchanges = problem.operation == Operation::alltoall || problem.operation == Operation::alltoallv ||
                         problem.operation == Operation::alltoallw;
  for (int i = 0; exchanges && problem.in_place && i < size(); ++i) {
    saved_.push_back(scratch(in(i).bytes()));
    copy(in(i), saved_.back());
  }
  end_round();
}

Piece Script::out(int rank) const {
  return saved_.empty() ? problem_.send.block(Place::send, rank) : saved_[static_cast<std::size_t>(rank)];
}

Piece Script::own() const { return problem_.in_place ? in(rank()) : problem_.send.block(Place::send, 0); }

std::int64_t Script::entries_before(int rank) const {
  const Blocks& blocks = problem_.send;
  return blocks.uniform() ? static_cast<std::int64_t>(rank) * blocks.count
                          : std::accumulate(blocks.counts.begin(), blocks.counts.begin() + rank, std::int64_t{0});
}

Piece Script::input() const {
  const bool scatters =
      problem_.operation == Operation::reduce_scatter || problem_.operation == Operation::reduce_scatter_block;
  return {problem_.in_place ? Place::receive : Place::send, &problem_.send.type(0), 0,
          scatters ? entries_before(size()) : problem_.send.count};
}

Piece Script::input_of(int rank) const {
  const std::int64_t first = entries_before(rank);
  return input().part(first, entries_before(rank + 1) - first);
}

Piece Script::scratch(std::int64_t bytes) {
  const Piece piece{Place::scratch, nullptr, scratch_bytes_, bytes};
  scratch_bytes_ += aligned(bytes);
  return piece;
}

Piece Script::scratch_like(const Piece& piece) {
  if (piece.type == nullptr) {
    return scratch(piece.count);
  }
  const mpi::Element& type = *piece.type;
  const std::int64_t last = std::max<std::int64_t>(piece.count - 1, 0) * type.extent_bytes();
  const std::int64_t begin = type.true_lower_bound() + std::min<std::int64_t>(last, 0);
  const std::int64_t end = type.true_lower_bound() + type.true_extent() + std::max<std::int64_t>(last, 0);
  // The base address may be far outside the scratch memory so that the entries are inside, because displacements can be
  // absolute addresses.
  const std::int64_t front = begin < 0 ? aligned(-begin) : -(begin / alignment * alignment);
  const Piece made{Place::scratch, piece.type, scratch_bytes_ + front, piece.count};
  scratch_bytes_ += std::max<std::int64_t>(front + aligned(end), 0);
  return made;
}

Round& Script::messages() {
  if (!rounds_.back().work.empty()) {
    end_round();
  }
  return rounds_.back();
}

void Script::send(int peer, const Piece& piece) {
  if (piece.bytes() > 0) {
    messages().sends.push_back({Step::Kind::send, actual(peer), piece, {}});
  }
}

void Script::receive(int peer, const Piece& piece) {
  if (piece.bytes() > 0) {
    messages().receives.push_back({Step::Kind::receive, actual(peer), {}, piece});
  }
}

void Script::signal(int peer) { messages().sends.push_back({Step::Kind::send, actual(peer), {}, {}}); }

void Script::await(int peer) { messages().receives.push_back({Step::Kind::receive, actual(peer), {}, {}}); }

void Script::copy(const Piece& from, const Piece& to) {
  if (from.bytes() > 0 && !same_place(from, to)) {
    rounds_.back().work.push_back({Step::Kind::copy, 0, from, to});
  }
}

void Script::combine(const Piece& left, const Piece& right) {
  if (left.count > 0) {
    rounds_.back().work.push_back({Step::Kind::combine, 0, left, right});
  }
}

void Script::end_round() {
  if (!rounds_.back().empty()) {
    rounds_.emplace_back();
  }
}

void Script::receive_packed(Round& round, Piece& place) {
  if (place.type == nullptr || !place.type->mixed() || place.bytes() > std::numeric_limits<int>::max()) {
    return;
  }
  if (place.type->dense()) {
    place = {place.place, nullptr, place.offset, place.bytes()};
    return;
  }
  const Piece packed = scratch(place.bytes());
  round.work.insert(round.work.begin(), {Step::Kind::copy, 0, packed, place});
  place = packed;
}

std::size_t Script::bytes() const noexcept {
  auto total = static_cast<std::size_t>(scratch_bytes_);
  for (const Round& round : rounds_) {
    total += sizeof(Round) + (round.receives.size() + round.sends.size() + round.work.size()) * sizeof(Step);
  }
  return total;
}

}  // namespace adcl::codelets
