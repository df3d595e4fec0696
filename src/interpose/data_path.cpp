#include "interpose/data_path.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "codelets/collectives/vmaps.hpp"
#include "codelets/sets.hpp"
#include "core/error.hpp"
#include "data/topology.hpp"
#include "data/vector.hpp"
#include "interpose/fixed_choice.hpp"
#include "mpi/check.hpp"
#include "tuner/problem_history.hpp"

namespace adcl::interpose {
namespace {

using codelets::AllVmap;
using codelets::ReduceVmap;
using data::Vector;

/// An array whose address is passed at each start.
std::shared_ptr<Vector> array(std::int64_t entries, MPI_Datatype type) {
  const Grid grid{{static_cast<int>(std::max<std::int64_t>(entries, 1))}};
  return std::make_shared<Vector>(grid, 0, type, Vector::no_array(), Vector::Null::accepted);
}

std::shared_ptr<data::Vmap> vmap_of(const Key& key, int count) {
  if (key.operation >= Operation::reduce) {
    return std::make_shared<ReduceVmap>(count, op_of(key.reduction));
  }
  return std::make_shared<AllVmap>(count);
}

runtime::RequestParts parts_of(const Key& key, BlockNumbers blocks, const std::shared_ptr<data::Topology>& topology) {
  runtime::RequestParts parts;
  parts.set = std::make_shared<runtime::FunctionSetObject>();
  parts.set->set = set_of(key.operation);
  parts.topology = topology;
  const bool reduces = key.operation >= Operation::reduce;
  MPI_Datatype type = reduces ? type_of(key.reduction) : MPI_BYTE;
  const std::int64_t count = reduces ? key.bytes / key.reduction.bytes : key.bytes;
  const auto vmap = vmap_of(key, static_cast<int>(count));
  data::Field field;
  if (blocks.sent > 0) {
    field.send_vector = array(count * blocks.sent, type);
    field.send_vmap = vmap;
  }
  if (blocks.received > 0) {
    field.receive_vector = array(count * blocks.received, type);
    field.receive_vmap = vmap;
  }
  parts.fields.push_back(std::move(field));
  return parts;
}

std::shared_ptr<data::Topology> topology_of(const Key& key, const std::shared_ptr<mpi::Context>& context) {
  auto topology = std::make_shared<data::Topology>();
  topology->context = context;
  topology->id = context->next_id();
  topology->neighborhood.rank = context->rank();
  topology->neighborhood.size = context->size();
  topology->root = key.root;
  return topology;
}

/// Data whose memory layout differs from the layout of packed data.
Block block(const void* address, std::int64_t count, MPI_Datatype type, std::int64_t bytes) {
  return {static_cast<std::byte*>(const_cast<void*>(address)), count, type, bytes, false};
}

}  // namespace

const FunctionSet& set_of(Operation operation) {
  switch (operation) {
    case Operation::bcast:
      return codelets::bcast();
    case Operation::gather:
      return codelets::gather();
    case Operation::scatter:
      return codelets::scatter();
    case Operation::allgather:
      return codelets::allgather();
    case Operation::alltoall:
      return codelets::alltoall();
    case Operation::reduce:
      return codelets::reduce();
    case Operation::allreduce:
      return codelets::allreduce();
    case Operation::reduce_scatter_block:
      return codelets::reduce_scatter_block();
    case Operation::scan:
      return codelets::scan();
    case Operation::exscan:
      return codelets::exscan();
    default:
      throw Error(Code::internal, text("searches of ", codelets::name_of(operation), " are not supported"));
  }
}

std::unique_ptr<Problem> problem_of(const Key& key, const std::shared_ptr<mpi::Context>& context) {
  std::unique_ptr<Problem> problem;
  const auto topology = topology_of(key, context);
  context->machine();
  mpi::run_collectively(context->comm(), [&] {
    const BlockNumbers blocks = block_numbers(key, {context->rank(), context->size()});
    problem = set_of(key.operation).problem(parts_of(key, blocks, topology), *context);
  });
  problem->settle({true, context->take_tags(1), 1, topology->id, false});
  return problem;
}

DataPath::DataPath(const Key& key, std::shared_ptr<mpi::Context> context)
    : key_(key), context_(std::move(context)), packing_(context_->comm(), context_->rank(), context_->take_tags(1)) {
  const BlockNumbers blocks = block_numbers(key, {context_->rank(), context_->size()});
  send_bytes_ = key.bytes * blocks.sent;
  receive_bytes_ = key.bytes * blocks.received;
}

void DataPath::allocate() {
  input_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(send_bytes_));
  output_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(receive_bytes_));
}

DataPath::DataPath(const Key& key, const std::shared_ptr<mpi::Context>& context,
                   const std::shared_ptr<const runtime::Settings>& settings)
    : DataPath(key, context) {
  const auto topology = topology_of(key, context);
  auto parts = mpi::attempt([&] {
    allocate();
    return parts_of(key, block_numbers(key, {context->rank(), context->size()}), topology);
  });
  request_ = runtime::Request::create(context, std::move(parts), settings);
}

/// Copies the input from the receive array: this rank's block for a gather or an allgather, otherwise the whole array.
const void* DataPath::input_in_place(const CollectiveCall& call) {
  const bool one_of_many = call.operation == Operation::gather || call.operation == Operation::allgather;
  const auto* from = static_cast<const std::byte*>(call.receive.buffer);
  std::int64_t blocks = send_bytes_ / key_.bytes;
  if (one_of_many) {
    MPI_Count lower_bound = 0;
    MPI_Count extent = 0;
    mpi::check(MPI_Type_get_extent_x(call.receive.type, &lower_bound, &extent), "MPI_Type_get_extent_x");
    from += extent * call.receive.count * context_->rank();
    blocks = 1;
  }
  std::byte* const copy = input_.get();
  if (call.receive.dense) {
    std::memcpy(copy, from, static_cast<std::size_t>(send_bytes_));
  } else {
    packing_.pack(block(from, call.receive.count * blocks, call.receive.type, send_bytes_), copy);
  }
  return copy;
}

const void* DataPath::input(const CollectiveCall& call) {
  if (send_bytes_ == 0) {
    return nullptr;
  }
  if (call.send.in_place()) {
    return input_in_place(call);
  }
  if (call.send.dense) {
    return call.send.buffer;
  }
  std::byte* const packed = input_.get();
  // A reduction has the entries of all blocks in one array.
  packing_.pack(block(call.send.buffer, call.send.count * (send_bytes_ / key_.bytes), call.send.type, send_bytes_),
                packed);
  return packed;
}

/// MPI has no function that returns whether a datatype is committed.
bool DataPath::accepts(const CollectiveCall& call) const {
  const auto committed = [this](const Side& side) {
    std::byte nothing{};
    int position = 0;
    return side.dense || side.type == MPI_DATATYPE_NULL ||
           MPI_Pack(&nothing, 0, side.type, &nothing, 1, &position, context_->comm()) == MPI_SUCCESS;
  };
  return committed(call.send) && committed(call.receive);
}

void DataPath::run(const CollectiveCall& call) {
  const Arrays arrays = prepare(call);
  request_->start_with(arrays.send, arrays.receive);
  finish(call, arrays);
}

Arrays DataPath::prepare(const CollectiveCall& call) {
  const void* const send = input(call);
  if (receive_bytes_ == 0 || call.receive.dense) {
    return {send, const_cast<void*>(call.receive.buffer)};
  }
  std::byte* const output = output_.get();
  if (is_bcast_root()) {
    packing_.pack(block(call.receive.buffer, received_entries(call), call.receive.type, receive_bytes_), output);
  }
  return {send, output};
}

void DataPath::finish(const CollectiveCall& call, const Arrays& arrays) const {
  // At the root of a broadcast or of a scatter in place, the data are already in the receive buffer.
  if (arrays.receive == call.receive.buffer || is_bcast_root() || call.receive.in_place()) {
    return;
  }
  packing_.unpack(static_cast<const std::byte*>(arrays.receive),
                  block(call.receive.buffer, received_entries(call), call.receive.type, receive_bytes_));
}

void DataPath::rehearse(const CollectiveCall& call) {
  const void* const send = input(call);
  request_->start_with(send, output_.get());
}

bool DataPath::has_winner() const {
  const runtime::Decider* const decider = request_->group().find(runtime::Mode::blocking_with);
  return !fixed_.empty() || (decider != nullptr && decider->has_winner());
}

std::string DataPath::name_of(runtime::ModeCandidate candidate) const {
  const runtime::TunerGroup& group = request_->group();
  return group.subject().candidates[runtime::index_of(group.candidate(runtime::Mode::blocking_with, candidate))].name;
}

std::string DataPath::winner() const {
  return fixed_.empty() ? name_of(request_->group().find(runtime::Mode::blocking_with)->winner()) : fixed_;
}

bool DataPath::prefers_native() const { return winner().starts_with("Native"); }

std::vector<Guideline> DataPath::broken_guidelines() const {
  const auto& group = request_->group();
  const auto knowledge = group.find(runtime::Mode::blocking_with)->knowledge();
  std::vector<Measured> all;
  for (std::size_t i = 0; i < knowledge.size(); ++i) {
    const auto candidate = group.candidate(runtime::Mode::blocking_with, runtime::ModeCandidate{static_cast<int>(i)});
    all.push_back({group.subject().candidates[runtime::index_of(candidate)].name, knowledge[i].numbers});
  }
  return interpose::broken_guidelines(key_.operation, all);
}

void DataPath::fix_winner() {
  if (fixed_.empty()) {
    fix(winner());
  }
}

bool DataPath::fix(const std::string& name) {
  const auto group = request_->shared_group();
  const std::size_t candidates = group->for_mode(runtime::Mode::blocking_with).knowledge().size();
  for (std::size_t i = 0; i < candidates; ++i) {
    const auto candidate = runtime::from_index<runtime::ModeCandidate>(i);
    if (name_of(candidate) == name) {
      fixed_ = name;
      request_->set_deciders(std::make_shared<FixedChoices>(group, runtime::Mode::blocking_with, candidate));
      return true;
    }
  }
  return false;
}

bool DataPath::runs_winner() const { return request_->current_codelet() == winner(); }

/// The destructor of the request stores the result of the search if it is not stored yet.
void DataPath::reject(double native_s, const std::string& reason) {
  const auto history = request_->group().history();
  request_.reset();
  if (history != nullptr) {
    history->overrule(runtime::Mode::blocking_with, "Native", native_s, reason);
  }
}

}  // namespace adcl::interpose
