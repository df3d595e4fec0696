#include "codelets/collectives/make_problem.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "codelets/collectives/vmaps.hpp"
#include "core/error.hpp"
#include "mpi/operation.hpp"

namespace adcl::codelets {
namespace {

/// Builds the problem of one rank from one field.
class Maker {
 public:
  Maker(Operation operation, const data::Parts& parts, mpi::Context& context)
      : field_(parts.fields.front()), problem_(std::make_unique<CollectiveProblem>(&context.machine())) {
    require(parts.fields.size() == 1, Code::argument, "a request of ", name_of(operation), " has one field, not ",
            parts.fields.size());
    problem_->operation = operation;
    problem_->rank = context.rank();
    problem_->size = context.size();
    problem_->root = problem_->rooted() ? parts.topology->root : 0;
  }

  std::unique_ptr<Problem> make() {
    switch (problem_->operation) {
      case Operation::barrier:
        break;
      case Operation::bcast:
        problem_->receive =
            uniform(receive_vector(), vmap<AllVmap>(field_.receive_vmap, "receive", all_made_by).count(), 1);
        break;
      case Operation::gather:
      case Operation::gatherv:
        gather();
        break;
      case Operation::scatter:
      case Operation::scatterv:
        scatter();
        break;
      case Operation::allgather:
      case Operation::allgatherv:
        allgather();
        break;
      case Operation::alltoall:
      case Operation::alltoallv:
      case Operation::alltoallw:
        alltoall();
        break;
      case Operation::reduce_scatter:
        reduce_scatter();
        break;
      default:
        reduce();
        break;
    }
    return std::move(problem_);
  }

 private:
  static constexpr auto all_made_by = "ADCL_Vmap_all_allocate";
  static constexpr auto list_made_by = "ADCL_Vmap_list_allocate";
  static constexpr auto reduce_made_by = "ADCL_Vmap_reduce_allocate";

  template <typename Wanted>
  const Wanted& vmap(const std::shared_ptr<data::Vmap>& given, const char* side, const char* made_by) const {
    require(given != nullptr, Code::handle, "the ", side, " vmap is ADCL_VMAP_NULL; ", name_of(problem_->operation),
            " needs a vmap created by ", made_by);
    const auto* wanted = dynamic_cast<const Wanted*>(given.get());
    require(wanted != nullptr, Code::argument, "the ", side, " vmap is of the wrong kind; ",
            name_of(problem_->operation), " needs a vmap created by ", made_by);
    return *wanted;
  }
  [[nodiscard]] static bool is_in_place(const std::shared_ptr<data::Vmap>& vmap) {
    return dynamic_cast<const InplaceVmap*>(vmap.get()) != nullptr;
  }
  [[nodiscard]] const data::Vector& send_vector() const { return vector(field_.send_vector, "send"); }
  [[nodiscard]] const data::Vector& receive_vector() const { return vector(field_.receive_vector, "receive"); }
  [[nodiscard]] const data::Vector& vector(const std::shared_ptr<data::Vector>& given, const char* side) const {
    require(given != nullptr, Code::handle, "the ", side, " vector is ADCL_VECTOR_NULL; ", name_of(problem_->operation),
            " needs this vector on this rank");
    return *given;
  }

  /// Blocks of the vector's datatype; checks that the vector has \p entries entries.
  static Blocks blocks_of(const data::Vector& vector, std::int64_t entries) {
    const std::int64_t there = vector.grid().points() * std::max(vector.nc(), 1);
    require(entries <= there, Code::argument, "the vmap has ", entries, " entries, but the vector has only ", there);
    Blocks blocks;
    blocks.types = {vector.entry()};
    return blocks;
  }
  static Blocks uniform(const data::Vector& vector, int count, int ranks) {
    Blocks blocks = blocks_of(vector, static_cast<std::int64_t>(count) * ranks);
    blocks.count = count;
    return blocks;
  }
  Blocks list(const data::Vector& vector, const ListVmap& vmap) const {
    check_ranks(vmap.counts().size());
    std::int64_t end = 0;
    for (std::size_t i = 0; i < vmap.counts().size(); ++i) {
      const std::int64_t count = vmap.counts()[i];
      end = std::max(end, count > 0 ? vmap.displs()[i] + count : 0);  // an empty block may have any displacement
    }
    Blocks blocks = blocks_of(vector, end);
    blocks.counts = vmap.counts();
    for (const int displacement : vmap.displs()) {
      blocks.offsets.push_back(displacement * blocks.type(0).extent_bytes());
    }
    return blocks;
  }
  /// One block whose count may differ between ranks.
  static Blocks single(const data::Vector& vector, int count) {
    Blocks blocks = blocks_of(vector, count);
    blocks.counts = {count};
    blocks.offsets = {0};
    return blocks;
  }
  Blocks listw(const ListwVmap& vmap) const {
    check_ranks(vmap.counts().size());
    Blocks blocks;
    for (MPI_Datatype type : vmap.types()) {
      blocks.types.push_back(std::make_shared<mpi::Element>(type, 0));
    }
    blocks.counts = vmap.counts();
    blocks.offsets.assign(vmap.displs().begin(), vmap.displs().end());
    return blocks;
  }
  void check_ranks(std::size_t entries) const {
    require(entries == static_cast<std::size_t>(problem_->size), Code::argument, "the vmap is for ", entries,
            " processes, but the communicator has ", problem_->size);
  }
  /// Checks that a rank's message to itself has the same data on both sides.
  void check_own(const Blocks& sent, int sent_block, const Blocks& received, int received_block) {
    if (sent.signature(sent_block).value() == received.signature(received_block).value()) {
      return;
    }
    const auto bytes = [](const Blocks& blocks, int block) { return blocks.block(Place::send, block).bytes(); };
    problem_->packed_against_typed =
        (sent.packed() || received.packed()) && bytes(sent, sent_block) == bytes(received, received_block);
    require(problem_->packed_against_typed, Code::argument,
            "the counts or basic datatypes of the data that this rank sends to itself and receives from itself differ");
  }

  void gather() {
    const bool lists = problem_->operation == Operation::gatherv;
    problem_->in_place = problem_->is_root() && is_in_place(field_.send_vmap);
    if (!problem_->in_place) {
      const int count = vmap<AllVmap>(field_.send_vmap, "send", all_made_by).count();
      problem_->send = lists ? single(send_vector(), count) : uniform(send_vector(), count, 1);
    }
    if (problem_->is_root()) {
      problem_->receive =
          lists ? list(receive_vector(), vmap<ListVmap>(field_.receive_vmap, "receive", list_made_by))
                : uniform(receive_vector(), vmap<AllVmap>(field_.receive_vmap, "receive", all_made_by).count(),
                          problem_->size);
      if (!problem_->in_place) {
        check_own(problem_->send, 0, problem_->receive, problem_->rank);
      }
    }
  }

  void scatter() {
    const bool lists = problem_->operation == Operation::scatterv;
    problem_->in_place = problem_->is_root() && is_in_place(field_.receive_vmap);
    if (!problem_->in_place) {
      const int count = vmap<AllVmap>(field_.receive_vmap, "receive", all_made_by).count();
      problem_->receive = lists ? single(receive_vector(), count) : uniform(receive_vector(), count, 1);
    }
    if (problem_->is_root()) {
      problem_->send =
          lists ? list(send_vector(), vmap<ListVmap>(field_.send_vmap, "send", list_made_by))
                : uniform(send_vector(), vmap<AllVmap>(field_.send_vmap, "send", all_made_by).count(), problem_->size);
      if (!problem_->in_place) {
        check_own(problem_->send, problem_->rank, problem_->receive, 0);
      }
    }
  }

  void allgather() {
    const bool lists = problem_->operation == Operation::allgatherv;
    problem_->in_place = is_in_place(field_.send_vmap);
    problem_->receive =
        lists ? list(receive_vector(), vmap<ListVmap>(field_.receive_vmap, "receive", list_made_by))
              : uniform(receive_vector(), vmap<AllVmap>(field_.receive_vmap, "receive", all_made_by).count(),
                        problem_->size);
    if (!problem_->in_place) {
      const int count = vmap<AllVmap>(field_.send_vmap, "send", all_made_by).count();
      problem_->send = lists ? single(send_vector(), count) : uniform(send_vector(), count, 1);
      check_own(problem_->send, 0, problem_->receive, problem_->rank);
    }
  }

  Blocks alltoall_side(const std::shared_ptr<data::Vmap>& given, const data::Vector* vector, const char* side,
                       bool sent) const {
    if (problem_->operation == Operation::alltoallw) {
      return listw(vmap<ListwVmap>(given, side, "ADCL_Vmap_listw_allocate"));
    }
    if (problem_->operation == Operation::alltoallv) {
      return list(*vector, vmap<ListVmap>(given, side, list_made_by));
    }
    if (const auto* both = dynamic_cast<const AlltoallVmap*>(given.get())) {
      return uniform(*vector, sent ? both->scount() : both->rcount(), problem_->size);
    }
    return uniform(*vector, vmap<AllVmap>(given, side, "ADCL_Vmap_alltoall_allocate or ADCL_Vmap_all_allocate").count(),
                   problem_->size);
  }

  void alltoall() {
    problem_->in_place = is_in_place(field_.send_vmap);
    problem_->receive = alltoall_side(field_.receive_vmap, &receive_vector(), "receive", false);
    if (!problem_->in_place) {
      problem_->send = alltoall_side(field_.send_vmap, &send_vector(), "send", true);
      check_own(problem_->send, problem_->rank, problem_->receive, problem_->rank);
      if (problem_->operation == Operation::alltoall) {
        check_own(problem_->send, 0, problem_->receive, 0);
      }
    }
  }

  void take_operation(MPI_Op op) {
    problem_->op = op;
    problem_->commutative = mpi::is_commutative(op);
  }

  /// Sets the location of the result, on ranks that have one, and the input, which has the result's datatype.
  void reduce() {
    const bool has_result = problem_->operation != Operation::reduce || problem_->is_root();
    problem_->in_place = has_result && is_in_place(field_.send_vmap);
    const auto& map = vmap<ReduceVmap>(problem_->in_place ? field_.receive_vmap : field_.send_vmap,
                                       problem_->in_place ? "receive" : "send", reduce_made_by);
    take_operation(map.op());
    const bool blocks = problem_->operation == Operation::reduce_scatter_block;
    problem_->send =
        uniform(problem_->in_place ? receive_vector() : send_vector(), map.count(), blocks ? problem_->size : 1);
    check_result(has_result, map.count());
  }

  void reduce_scatter() {
    problem_->in_place = is_in_place(field_.send_vmap);
    const auto& map = vmap<RedscatterVmap>(problem_->in_place ? field_.receive_vmap : field_.send_vmap,
                                           problem_->in_place ? "receive" : "send", "ADCL_Vmap_redscatter_allocate");
    take_operation(map.op());
    check_ranks(map.counts().size());
    std::int64_t total = 0;
    std::vector<std::int64_t> begins;
    for (const int count : map.counts()) {
      begins.push_back(total);
      total += count;
    }
    problem_->send = blocks_of(problem_->in_place ? receive_vector() : send_vector(), total);
    problem_->send.counts = map.counts();
    for (const std::int64_t begin : begins) {
      problem_->send.offsets.push_back(begin * problem_->send.type(0).extent_bytes());
    }
    check_result(true, map.counts()[static_cast<std::size_t>(problem_->rank)]);
  }

  void check_result(bool has_result, int count) {
    if (!has_result) {
      return;
    }
    problem_->receive = uniform(receive_vector(), count, 1);
    require(problem_->receive.type(0).layout_hash() == problem_->send.type(0).layout_hash(), Code::argument,
            "the send and the receive vector of the reduction have different datatypes; use one datatype for both");
  }

  const data::Field& field_;
  std::unique_ptr<CollectiveProblem> problem_;
};

}  // namespace

std::unique_ptr<Problem> make_collective_problem(Operation operation, const data::Parts& parts, mpi::Context& context) {
  return Maker(operation, parts, context).make();
}

}  // namespace adcl::codelets
