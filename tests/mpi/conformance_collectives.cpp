// Every codelet of every collective on random problems: any datatype, in place, zero counts, all kinds of operations.
// The arrays of each rank are compared byte for byte with a model that does not communicate.
// sets: barrier bcast gather gatherv scatter scatterv allgather allgatherv
// sets: alltoall alltoallv alltoallw reduce allreduce
// sets: reduce_scatter_block reduce_scatter scan exscan
// sets: ibcast ialltoall iallgather ireduce iallreduce
// ranks: 1 2 3 4 5 8
// large: 7 9 16
// small /dev/shm: 2 3
// timeout: 150
// valgrind: 2 3
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "codelets/collectives/collective_problem.hpp"
#include "codelets/sets.hpp"
#include "core/error.hpp"
#include "mpi/agreement.hpp"
#include "mpi/check.hpp"
#include "support/collective_model.hpp"
#include "support/nodes.hpp"
#include "support/suite.hpp"

namespace adcl::test {
namespace {

using codelets::CollectiveProblem;
using codelets::Operation;

/// One operation with its arrays on real processes.
class Trial {
 public:
  Trial(Suite& suite, const std::shared_ptr<data::Topology>& topology, const FunctionSet& set, Operation operation,
        std::uint64_t seed, bool is_long)
      : suite_(suite),
        topology_(topology),
        set_(set),
        is_long_(is_long),
        model_(operation, topology->context->size(), seed, is_long) {
    mpi::Context& context = *topology->context;
    rank_ = context.rank();
    model_.fill(rank_, 0, send_, receive_);
    const data::Parts parts = model_.parts(rank_, send_, receive_, topology);
    addresses_ = {parts.fields[0].send_vector != nullptr ? parts.fields[0].send_vector->data() : nullptr,
                  parts.fields[0].receive_vector != nullptr ? parts.fields[0].receive_vector->data() : nullptr};
    problem_ = set.problem(parts, context);
    set_random_nodes(context, seed);
    agree(context);
  }
  ~Trial() {
    if (tags_ > 0) {
      topology_->context->give_back_tags(tag_, tags_);
    }
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  void run_all() {
    for (const Codelet& row : set_.codelets) {
      // A plan does not depend on the depth of progress.
      if (!suite_.wants_codelet(row.name) || row.capabilities.progress_depth > 0 || (is_long_ && !in_segments(row))) {
        continue;
      }
      const auto reason = row.algorithm.applicable(*problem_);
      int refused = reason.has_value() ? 1 : 0;
      mpi::check(MPI_Allreduce(MPI_IN_PLACE, &refused, 1, MPI_INT, MPI_MAX, topology_->context->comm()),
                 "MPI_Allreduce");
      suite_.count_codelet(set_.name + ":" + row.name, refused == 0 ? "" : reason.value_or("refused on another rank"));
      if (refused == 0) {
        run(row);
      }
    }
  }

 private:
  [[nodiscard]] bool in_segments(const Codelet& row) const {
    for (std::size_t a = 0; a < set_.attributes.size(); ++a) {
      if (set_.attributes[a].name == "segment_bytes") {
        return row.attributes[a] > 0;
      }
    }
    return false;
  }

  /// In half of the problems, assigns ranks to random nodes, independent of the machine.
  void set_random_nodes(mpi::Context& context, std::uint64_t seed) {
    Random random(seed ^ 0x6e6f646573U);
    machine_ = context.machine();
    if (random.one_in(2)) {
      std::vector<int> node_of_rank;
      const int last = random.between(0, context.size() - 1);
      for (int rank = 0; rank < context.size(); ++rank) {
        node_of_rank.push_back(random.one_in(2) ? random.between(0, last) : rank * (last + 1) / context.size());
      }
      machine_.nodes = nodes_seen(node_of_rank, rank_);
    }
    static_cast<CollectiveProblem&>(*problem_).machine = &machine_;
  }

  /// Reaches the agreement that the runtime makes when it creates a request.
  void agree(mpi::Context& context) {
    const Statement statement = problem_->state();
    std::vector<std::uint64_t> maxima{statement.common, ~statement.common, statement.layout, ~statement.layout};
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, maxima.data(), 4, MPI_UINT64_T, MPI_MAX, context.comm()), "MPI_Allreduce");
    std::uint64_t balance = 0;
    mpi::check(MPI_Allreduce(statement.balances.data(), &balance, 1, MPI_UINT64_T, MPI_SUM, context.comm()),
               "MPI_Allreduce");
    suite_.expect(maxima[0] == ~maxima[1], "the ranks state different problems: " + model_.describe());
    suite_.expect(balance == 0, "the ranks' problems do not match: " + model_.describe());
    tags_ = statement.tags;
    tag_ = tags_ > 0 ? context.take_tags(tags_) : 0;
    problem_->settle({maxima[2] == ~maxima[3], tag_, tags_, context.next_id()});
  }

  void run(const Codelet& row) {
    suite_.step(set_.name + ":" + row.name + ", " + model_.describe());
    const Buffers buffers(&addresses_, 1);
    const PlanPointer plan = row.algorithm.plan(*problem_, *topology_->context, buffers);
    for (int round = 1; round <= 3; ++round) {
      refill(round);
      if (round == 1 && !set_.overlaps) {
        plan->run(buffers);
      } else {
        plan->start(buffers);
        while (round == 2 && !plan->test()) {
        }
        plan->wait();
      }
      verify(row, round);
    }
  }

  /// Writes new data; the addresses of the arrays do not change.
  void refill(int round) {
    std::vector<std::byte> send;
    std::vector<std::byte> receive;
    model_.fill(rank_, round, send, receive);
    std::copy(send.begin(), send.end(), send_.begin());
    std::copy(receive.begin(), receive.end(), receive_.begin());
  }

  void verify(const Codelet& row, int round) {
    std::vector<std::byte> send;
    std::vector<std::byte> receive;
    model_.fill(rank_, round, send, receive);
    model_.complete(rank_, round, receive);
    ignore_undefined(receive);
    const auto wrong = std::mismatch(receive.begin(), receive.end(), receive_.begin()).first;
    suite_.expect(wrong == receive.end(),
                  text(set_.name, ":", row.name, ", round ", round, ", ", model_.describe(), ": byte ",
                       wrong - receive.begin(), " of ", receive.size(), " of the receive array is wrong"));
    suite_.expect(send == send_, text(set_.name, ":", row.name, " has changed the send array"));
    suite_.exchanged();
  }

  /// The contents after the result of a reduce-scatter in place are undefined.
  void ignore_undefined(std::vector<std::byte>& receive) {
    const auto& problem = static_cast<const CollectiveProblem&>(*problem_);
    if (!problem.in_place ||
        (problem.operation != Operation::reduce_scatter && problem.operation != Operation::reduce_scatter_block)) {
      return;
    }
    constexpr std::int64_t guard = 64;
    const std::int64_t kept =
        problem.receive.block(codelets::Place::receive, 0).count * problem.receive.type(0).extent_bytes();
    for (std::size_t i = static_cast<std::size_t>(guard + kept); i + guard < receive.size(); ++i) {
      receive[i] = receive_[i];
    }
  }

  Suite& suite_;
  std::shared_ptr<data::Topology> topology_;
  const FunctionSet& set_;
  bool is_long_;
  CollectiveModel model_;
  int rank_ = 0;
  std::vector<std::byte> send_;
  std::vector<std::byte> receive_;
  FieldBuffers addresses_;
  Machine machine_;
  std::unique_ptr<Problem> problem_;
  int tag_ = 0;
  int tags_ = 0;
};

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    using adcl::codelets::Operation;
    std::vector<std::shared_ptr<adcl::data::Topology>> topologies;
    for (int root = 0; root < suite.size(); ++root) {
      topologies.push_back(adcl::data::topology_of(MPI_COMM_WORLD, root));
    }
    const auto try_all = [&](std::uint64_t seed, bool is_long) {
      for (int o = 0; o <= static_cast<int>(Operation::exscan); ++o) {
        const auto operation = static_cast<Operation>(o);
        const std::uint64_t own_seed = seed * 31 + static_cast<std::uint64_t>(o);
        const adcl::test::CollectiveModel model(operation, suite.size(), own_seed, is_long);
        for (const auto& predefined : adcl::codelets::sets()) {
          if (predefined.set().pattern == adcl::codelets::name_of(operation)) {
            adcl::test::Trial(suite, topologies[static_cast<std::size_t>(model.root())], predefined.set(), operation,
                              own_seed, is_long)
                .run_all();
          }
        }
      }
    };
    suite.repeat("collectives", 4, [&](std::uint64_t seed) { try_all(seed, false); });
    suite.repeat("codelets that divide long messages", 1, [&](std::uint64_t seed) { try_all(seed, true); });
    adcl::test::free_operations();
  });
}
