// Compares the regions of messages with a halo that is computed cell by cell, and tests the order of pairwise
// exchanges.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "core/error.hpp"
#include "support/neighborhoods.hpp"

namespace adcl::test {
namespace {

constexpr std::uint64_t problem_seed = 4;
constexpr int trials = 1500;

using Problems = std::vector<std::unique_ptr<HaloProblem>>;
using Message = std::tuple<int, int, int>;  // sender, receiver, tag

TopologyModel any_topology(Random& random) {
  const int size = random.between(1, 12);
  const int ndims = random.between(1, 4);
  switch (random.between(0, 3)) {
    case 0:
      return random_graph_topology(random, size);
    case 1:
      return random_generic_topology(random, size, ndims);
    case 2:
      return random_grid_topology(random, size, Kind::extended, std::min(ndims, 3));
    default:
      return random_grid_topology(random, size, Kind::cartesian, ndims);
  }
}

std::vector<std::int64_t> points_of(const Region& region, const Grid& grid) {
  if (region.indexed) {
    return {region.points.begin(), region.points.end()};
  }
  const auto strides = grid.strides();
  std::vector<std::int64_t> points{0};
  for (std::size_t d = 0; d < strides.size(); ++d) {
    std::vector<std::int64_t> more;
    for (const std::int64_t point : points) {
      for (int i = 0; i < region.extent[d]; ++i) {
        more.push_back(point + (region.start[d] + i) * strides[d]);
      }
    }
    points = std::move(more);
  }
  std::sort(points.begin(), points.end());
  return points;
}

class EveryProblem : public testing::Test {
 protected:
  template <typename Check>
  static void check(const Check& check) {
    Random random(problem_seed);
    for (int trial = 0; trial < trials; ++trial) {
      const TopologyModel topology = any_topology(random);
      const ProblemModel model = random_problem(random, topology, false);
      SCOPED_TRACE("seed " + std::to_string(problem_seed) + ", trial " + std::to_string(trial) + ": " +
                   model.describe());
      const Problems problems = problems_of(model);
      check(model, problems);
      if (HasFatalFailure() || HasNonfatalFailure()) {
        return;
      }
    }
  }
};

TEST_F(EveryProblem, MovesEachHaloCellFromWhereItBelongs) {
  check([](const ProblemModel& model, const Problems& problems) {
    std::map<Message, std::vector<std::int64_t>> sent;
    for (std::size_t rank = 0; rank < problems.size(); ++rank) {
      for (const Transfer& out : problems[rank]->sends) {
        const Message message{static_cast<int>(rank), out.peer, out.tag};
        ASSERT_TRUE(sent.emplace(message, points_of(out.region, problems[rank]->fields.front().send.grid)).second)
            << "two messages with the same sender, receiver and tag";
      }
    }
    for (std::size_t rank = 0; rank < problems.size(); ++rank) {
      std::vector<std::tuple<std::int64_t, int, std::int64_t>> got;
      for (const Transfer& in : problems[rank]->receives) {
        const auto from = sent.find({in.peer, static_cast<int>(rank), in.tag});
        ASSERT_NE(from, sent.end()) << "rank " << rank << " waits for a message that no rank sends";
        const auto points = points_of(in.region, problems[rank]->fields.front().receive.grid);
        ASSERT_EQ(points.size(), from->second.size());
        for (std::size_t i = 0; i < points.size(); ++i) {
          got.emplace_back(points[i], in.peer, from->second[i]);
        }
        sent.erase(from);
      }
      std::vector<std::tuple<std::int64_t, int, std::int64_t>> wanted;
      for (const Origin& origin : origins(model, static_cast<int>(rank))) {
        wanted.emplace_back(origin.point, origin.owner, origin.owner_point);
      }
      std::sort(got.begin(), got.end());
      std::sort(wanted.begin(), wanted.end());
      ASSERT_EQ(got, wanted) << "rank " << rank;
    }
    ASSERT_TRUE(sent.empty()) << "a message is sent that no rank receives";
  });
}

TEST_F(EveryProblem, HasTagsWithinItsSpanAndSortedMessages) {
  check([](const ProblemModel&, const Problems& problems) {
    for (const auto& problem : problems) {
      for (const auto* transfers : {&problem->sends, &problem->receives}) {
        for (const Transfer& transfer : *transfers) {
          ASSERT_GE(transfer.tag, 0);
          ASSERT_LT(transfer.tag, problem->tag_span);
        }
        ASSERT_TRUE(std::is_sorted(transfers->begin(), transfers->end(), [](const Transfer& a, const Transfer& b) {
          return std::pair(a.peer, a.tag) < std::pair(b.peer, b.tag);
        }));
      }
    }
  });
}

/// Simulates the pair schedules of all ranks without buffering: a step completes when both ends have reached it.
/// Returns the number of rounds until all steps are complete, or -1 if ranks wait in a cycle.
int rounds_without_buffers(const Problems& problems) {
  std::vector<std::vector<PairStep>> schedules;
  std::size_t remaining = 0;
  for (const auto& problem : problems) {
    schedules.push_back(problem->pair_schedule());
    remaining += schedules.back().size();
  }
  std::vector<std::size_t> at(schedules.size(), 0);
  int rounds = 0;
  while (remaining > 0) {
    std::vector<std::size_t> ready;
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      if (at[rank] == schedules[rank].size()) {
        continue;
      }
      const PairStep& step = schedules[rank][at[rank]];
      const auto peer = static_cast<std::size_t>(step.peer);
      const bool met = at[peer] < schedules[peer].size() && schedules[peer][at[peer]].peer == static_cast<int>(rank);
      if (met) {
        EXPECT_EQ(step.sends.size(), schedules[peer][at[peer]].receives.size());
        EXPECT_TRUE(step.self == (peer == rank) && (step.self || step.first != schedules[peer][at[peer]].first));
        ready.push_back(rank);
      }
    }
    if (ready.empty()) {
      return -1;
    }
    for (const std::size_t rank : ready) {
      ++at[rank];
      --remaining;
    }
    ++rounds;
  }
  return rounds;
}

TEST_F(EveryProblem, HasAPairwiseOrderInWhichNobodyWaitsInACircle) {
  check([](const ProblemModel&, const Problems& problems) { ASSERT_GE(rounds_without_buffers(problems), 0); });
}

TEST_F(EveryProblem, HasEachMessageOnceInItsPairwiseOrder) {
  check([](const ProblemModel&, const Problems& problems) {
    for (const auto& problem : problems) {
      std::vector<int> sends;
      std::vector<int> receives;
      for (const PairStep& step : problem->pair_schedule()) {
        sends.insert(sends.end(), step.sends.begin(), step.sends.end());
        receives.insert(receives.end(), step.receives.begin(), step.receives.end());
        for (std::size_t i = 0; step.self && i < step.sends.size(); ++i) {
          const auto out = static_cast<std::size_t>(step.sends[i]);
          const auto in = static_cast<std::size_t>(step.receives[i]);
          ASSERT_EQ(problem->sends[out].tag, problem->receives[in].tag)
              << "a message to the rank itself does not match";
        }
      }
      std::sort(sends.begin(), sends.end());
      std::sort(receives.begin(), receives.end());
      ASSERT_EQ(sends.size(), problem->sends.size());
      ASSERT_EQ(receives.size(), problem->receives.size());
      ASSERT_TRUE(std::adjacent_find(sends.begin(), sends.end()) == sends.end());
      ASSERT_TRUE(std::adjacent_find(receives.begin(), receives.end()) == receives.end());
    }
  });
}

ProblemModel uniform(const std::vector<int>& grid_dims, int periodic) {
  const TopologyModel topology =
      grid_topology(Kind::cartesian, grid_dims, std::vector<int>(grid_dims.size(), periodic));
  std::vector<std::vector<int>> blocks;
  for (const int places : grid_dims) {
    blocks.emplace_back(static_cast<std::size_t>(places), 4);
  }
  const std::vector<int> ones(grid_dims.size(), 1);
  return grid_problem(topology, blocks, {ones, ones});
}

TEST(PairSchedule, RoundsDoNotGrowWithTheGrid) {
  EXPECT_EQ(rounds_without_buffers(problems_of(uniform({16}, 0))), 2);
  EXPECT_EQ(rounds_without_buffers(problems_of(uniform({16}, 1))), 2);
  EXPECT_EQ(rounds_without_buffers(problems_of(uniform({15}, 1))), 3);
  EXPECT_EQ(rounds_without_buffers(problems_of(uniform({4, 4}, 1))), 4);
  EXPECT_EQ(rounds_without_buffers(problems_of(uniform({4, 4, 4}, 0))), 6);
}

TEST(PairSchedule, RingOfOneRankHasOneStepWithItself) {
  const auto problems = problems_of(uniform({1}, 1));
  const auto schedule = problems[0]->pair_schedule();
  ASSERT_FALSE(schedule.empty());
  for (const PairStep& step : schedule) {
    EXPECT_TRUE(step.self);
    EXPECT_EQ(step.sends.size(), step.receives.size());
  }
}

TEST(Directions, AreInAFixedOrderWithoutTheZeroDirection) {
  EXPECT_EQ(all_directions(1), (std::vector<Direction>{{-1}, {1}}));
  EXPECT_EQ(all_directions(2),
            (std::vector<Direction>{{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}));
  EXPECT_EQ(all_directions(4).size(), 80U);
}

Code code_of(const ProblemModel& model) {
  try {
    problems_of(model);
  } catch (const Error& error) {
    return error.code();
  }
  return Code::success;
}

TEST(BuildHalo, RejectsAHaloWiderThanItsBlock) {
  ProblemModel model = uniform({3}, 1);
  model.ranks[1].send_grid.dims = {7};  // a block of 1 between halos of 3
  model.ranks[1].receive_grid.dims = {7};
  model.ranks[1].send_widths = {{3}, {3}};
  model.ranks[1].receive_widths = {{3}, {3}};
  EXPECT_EQ(code_of(model), Code::argument);
}

TEST(BuildHalo, AcceptsAHaloAsWideAsItsBlock) {
  const TopologyModel topology = grid_topology(Kind::cartesian, {3}, {1});
  EXPECT_EQ(code_of(grid_problem(topology, {{3, 3, 3}}, {{3}, {3}})), Code::success);
  EXPECT_EQ(code_of(grid_problem(topology, {{3, 3, 3}}, {{4}, {0}})), Code::argument);
  EXPECT_EQ(code_of(grid_problem(topology, {{3, 3, 3}}, {{0}, {4}})), Code::argument);
}

TEST(BuildHalo, RejectsAVectorWithOtherDimensions) {
  ProblemModel model = uniform({3}, 1);
  model.ranks[2].send_grid.dims = {6, 6};
  EXPECT_EQ(code_of(model), Code::argument);
}

ProblemModel graph_ring(int size) {
  ProblemModel model;
  model.topology.kind = Kind::graph;
  model.topology.size = size;
  for (int rank = 0; rank < size; ++rank) {
    model.topology.destinations.push_back({(rank + 1) % size});
    model.topology.sources.push_back({(rank + size - 1) % size});
    RankModel mine;
    mine.send_grid = {{8}, false};
    mine.receive_grid = {{8}, false};
    mine.points.sends = {{4, 5}};
    mine.points.receives = {{0, 1}};
    model.ranks.push_back(mine);
  }
  return model;
}

TEST(BuildGraph, RejectsPointsOutsideTheVector) {
  EXPECT_EQ(code_of(graph_ring(3)), Code::success);
  ProblemModel outside = graph_ring(3);
  outside.ranks[0].points.sends = {{4, 8}};
  EXPECT_EQ(code_of(outside), Code::argument);
  ProblemModel negative = graph_ring(3);
  negative.ranks[0].points.receives = {{-1, 1}};
  EXPECT_EQ(code_of(negative), Code::argument);
  ProblemModel twice = graph_ring(3);
  twice.ranks[2].points.receives = {{1, 1}};
  EXPECT_EQ(code_of(twice), Code::argument);
  ProblemModel one_list_too_many = graph_ring(3);
  one_list_too_many.ranks[1].points.sends.push_back({});
  EXPECT_EQ(code_of(one_list_too_many), Code::argument);
}

TEST(BuildGraph, RejectsASentAndReceivedPointInOneArrayOnly) {
  ProblemModel both = graph_ring(3);
  both.ranks[1].points.sends = {{1, 5}};
  EXPECT_EQ(code_of(both), Code::argument);
  both.same_buffer = false;
  EXPECT_EQ(code_of(both), Code::success);
}

TEST(Signature, DependsOnTheProblemOnly) {
  const ProblemModel model = uniform({2, 3}, 1);
  const auto one = problems_of(model);
  const auto other = problems_of(model);
  other[0]->tag_base = 77;
  other[0]->request_id = 5;
  EXPECT_EQ(one[0]->signature(), other[0]->signature());
}

TEST(Signature, ChangesWithTheProblem) {
  std::set<std::uint64_t> signatures;
  const auto add = [&](const ProblemModel& model) { signatures.insert(problems_of(model)[0]->signature()); };
  add(uniform({2, 3}, 1));
  add(uniform({2, 3}, 0));
  add(uniform({3, 2}, 1));
  const TopologyModel topology = grid_topology(Kind::cartesian, {2, 3}, {1, 1});
  add(grid_problem(topology, {{4, 4}, {5, 5, 5}}, {{1, 1}, {1, 1}}));
  add(grid_problem(topology, {{4, 4}, {4, 4, 4}}, {{1, 1}, {1, 2}}));
  ProblemModel two_arrays = uniform({2, 3}, 1);
  two_arrays.same_buffer = false;
  add(two_arrays);
  ProblemModel fortran = uniform({2, 3}, 1);
  for (RankModel& rank : fortran.ranks) {
    rank.send_grid.fortran_order = rank.receive_grid.fortran_order = true;
  }
  add(fortran);
  add(graph_ring(6));
  EXPECT_EQ(signatures.size(), 8U);
}

TEST(Signature, DistinguishesEveryPropertyOfANeighborhood) {
  Neighborhood plain;
  plain.size = 6;
  plain.coords = {0, 1};
  plain.grid_dims = {2, 3};
  plain.periodic = {0, 0};
  plain.neighbors = {{{1, 0}, 4}, {{0, 1}, 2}};
  plain.destinations = {3};
  plain.sources = {5};
  const std::vector<std::function<void(Neighborhood&)>> changes = {
      [](Neighborhood& one) { one.kind = Neighborhood::Kind::extended; },
      [](Neighborhood& one) { one.size = 8; },
      [](Neighborhood& one) {
        one.coords = {1, 0};
      },
      [](Neighborhood& one) {
        one.grid_dims = {3, 2};
      },
      [](Neighborhood& one) {
        one.periodic = {0, 1};
      },
      [](Neighborhood& one) { one.neighbors.pop_back(); },
      [](Neighborhood& one) {
        one.neighbors[1].direction = {0, -1};
      },
      [](Neighborhood& one) { one.neighbors[1].rank = 3; },
      [](Neighborhood& one) { one.neighbors[1].sends = false; },
      [](Neighborhood& one) { one.neighbors[1].receives = false; },
      [](Neighborhood& one) { one.destinations = {4}; },
      [](Neighborhood& one) { one.sources = {4}; }};
  const auto hash_of = [](const Neighborhood& one) {
    Hash hash;
    one.identify(hash);
    return hash.value();
  };
  std::set<std::uint64_t> hashes = {hash_of(plain)};
  for (const auto& change : changes) {
    Neighborhood changed = plain;
    change(changed);
    hashes.insert(hash_of(changed));
  }
  EXPECT_EQ(hashes.size(), changes.size() + 1);
}

TEST(SeveralFields, HaveTheMessagesOfEachFieldWithMatchingTags) {
  Random random(20260727);
  for (int trial = 0; trial < 60; ++trial) {
    const TopologyModel topology = any_topology(random);
    std::vector<ProblemModel> fields;
    std::vector<Problems> alone;
    for (int f = random.between(2, 4); f > 0; --f) {
      fields.push_back(random_problem(random, topology, false));
      alone.push_back(problems_of(fields.back()));
    }
    SCOPED_TRACE("trial " + std::to_string(trial) + ": " + fields.front().describe());
    const Problems problems = problems_of(fields);
    std::set<std::tuple<int, int, int, int>> sent;  // sender, receiver, tag, field
    std::set<std::tuple<int, int, int>> messages;
    for (std::size_t rank = 0; rank < problems.size(); ++rank) {
      const int me = static_cast<int>(rank);
      std::size_t expected = 0;
      for (const Problems& one : alone) {
        expected += one[rank]->sends.size();
      }
      ASSERT_EQ(problems[rank]->sends.size(), expected);
      for (const Transfer& out : problems[rank]->sends) {
        ASSERT_TRUE(messages.emplace(me, out.peer, out.tag).second)
            << "two messages with the same sender, receiver and tag";
        sent.emplace(me, out.peer, out.tag, out.field);
      }
    }
    for (std::size_t rank = 0; rank < problems.size(); ++rank) {
      for (const Transfer& in : problems[rank]->receives) {
        ASSERT_EQ(sent.erase({in.peer, static_cast<int>(rank), in.tag, in.field}), 1U) << "of another field";
      }
    }
    ASSERT_TRUE(sent.empty());
    ASSERT_GE(rounds_without_buffers(problems), 0);
    ASSERT_NE(problems.front()->signature(), alone.front().front()->signature());
  }
}

TEST(Overlap, IsACommonGridPoint) {
  const Region box{{1, 2}, {3, 2}, {}, false};
  EXPECT_TRUE(overlap(box, {{3, 3}, {5, 5}, {}, false}));
  EXPECT_FALSE(overlap(box, {{4, 2}, {1, 2}, {}, false}));
  EXPECT_FALSE(overlap(box, {{1, 4}, {3, 1}, {}, false}));
  EXPECT_FALSE(overlap(box, {{2, 2}, {0, 2}, {}, false})) << "an empty region overlaps nothing";
  const Region list{{}, {}, {4, 7, 9}, true};
  EXPECT_TRUE(overlap(list, {{}, {}, {1, 9}, true}));
  EXPECT_FALSE(overlap(list, {{}, {}, {1, 8}, true}));
}

TEST(Description, NamesArrayTopologyAndMessages) {
  EXPECT_EQ(problems_of(std::vector{uniform({2, 2}, 1), uniform({2, 2}, 1)})[0]->describe(),
            "halo of 2 fields: 6x6, 6x6 points, cartesian topology, 8 messages out (32 points), 8 in (32 points)");
  EXPECT_EQ(problems_of(uniform({2, 2}, 1))[0]->describe(),
            "halo of 6x6 points, cartesian topology, 4 messages out (16 points), 4 in (16 points)");
}

}  // namespace
}  // namespace adcl::test
