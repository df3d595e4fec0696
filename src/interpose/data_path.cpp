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

namespace adcl::interpose {
namespace {

using codelets::AllVmap;
using codelets::ReduceVmap;
using data::Vector;

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
    default:
      throw Error(Code::internal, text("searches of ", codelets::name_of(operation), " are not supported"));
  }
}

/// An array whose address is passed at each start.
std::shared_ptr<Vector> array(std::int64_t entries, MPI_Datatype type) {
  const Grid grid{{static_cast<int>(std::max<std::int64_t>(entries, 1))}};
  return std::make_shared<Vector>(grid, 0, type, Vector::no_array(), Vector::Null::accepted);
}

/// Numbers of blocks that this rank sends and receives.
struct BlockNumbers {
  int sent = 0;
  int received = 0;
};

BlockNumbers blocks_of(Operation operation, int size, bool is_root) {
  switch (operation) {
    case Operation::bcast:
      return {0, 1};
    case Operation::gather:
      return {1, is_root ? size : 0};
    case Operation::scatter:
      return {is_root ? size : 0, 1};
    case Operation::allgather:
      return {1, size};
    case Operation::alltoall:
      return {size, size};
    case Operation::reduce:
      return {1, is_root ? 1 : 0};
    case Operation::reduce_scatter_block:
      return {size, 1};
    default:
      return {1, 1};
  }
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

}  // namespace

DataPath::DataPath(const Key& key, const std::shared_ptr<mpi::Context>& context,
                   const std::shared_ptr<const runtime::Settings>& settings)
    : key_(key), context_(context) {
  const BlockNumbers blocks = blocks_of(key.operation, context->size(), context->rank() == key.root);
  send_bytes_ = key.bytes * blocks.sent;
  receive_bytes_ = key.bytes * blocks.received;
  auto topology = std::make_shared<data::Topology>();
  topology->context = context;
  topology->id = context->next_id();
  topology->neighborhood.rank = context->rank();
  topology->neighborhood.size = context->size();
  topology->root = key.root;
  auto parts = mpi::attempt([&] { return parts_of(key, blocks, topology); });
  request_ = runtime::Request::create(context, std::move(parts), settings);
}

DataPath::~DataPath() = default;

std::byte* DataPath::room(std::vector<std::byte>& memory, std::int64_t bytes) {
  if (memory.size() < static_cast<std::size_t>(bytes)) {
    memory.resize(static_cast<std::size_t>(bytes));
  }
  return memory.data();
}

void DataPath::pack(const void* from, std::int64_t count, MPI_Datatype type, std::byte* into,
                    std::int64_t bytes) const {
  int position = 0;
  mpi::check(MPI_Pack(from, static_cast<int>(count), type, into, static_cast<int>(bytes), &position, context_->comm()),
             "MPI_Pack");
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
  std::byte* const copy = room(input_, send_bytes_);
  if (call.receive.dense) {
    std::memcpy(copy, from, static_cast<std::size_t>(send_bytes_));
  } else {
    pack(from, call.receive.count * blocks, call.receive.type, copy, send_bytes_);
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
  std::byte* const packed = room(input_, send_bytes_);
  // A reduction has the entries of all blocks in one array.
  pack(call.send.buffer, call.send.count * (send_bytes_ / key_.bytes), call.send.type, packed, send_bytes_);
  return packed;
}

void DataPath::run(const CollectiveCall& call) {
  const void* const send = input(call);
  const bool is_bcast_root = call.operation == Operation::bcast && context_->rank() == key_.root;
  if (receive_bytes_ == 0 || call.receive.dense) {
    request_->start_with(send, const_cast<void*>(call.receive.buffer));
    return;
  }
  std::byte* const output = room(output_, receive_bytes_);
  const std::int64_t entries = call.receive.count * (receive_bytes_ / key_.bytes);
  if (is_bcast_root) {
    pack(call.receive.buffer, entries, call.receive.type, output, receive_bytes_);
  }
  request_->start_with(send, output);
  if (is_bcast_root || call.receive.in_place()) {
    return;  // the data are already in the receive buffer
  }
  int position = 0;
  mpi::check(MPI_Unpack(output, static_cast<int>(receive_bytes_), &position, const_cast<void*>(call.receive.buffer),
                        static_cast<int>(entries), call.receive.type, context_->comm()),
             "MPI_Unpack");
}

bool DataPath::has_winner() const {
  const runtime::Decider* const decider = request_->group().find(runtime::Mode::blocking_with);
  return decider != nullptr && decider->has_winner();
}

std::string DataPath::winner() const {
  const runtime::Decider* const decider = request_->group().find(runtime::Mode::blocking_with);
  const auto winner = request_->group().candidate(runtime::Mode::blocking_with, decider->winner());
  return request_->group().subject().candidates[runtime::index_of(winner)].name;
}

bool DataPath::prefers_native() const { return winner().starts_with("Native"); }

void DataPath::fix_winner() {
  const auto group = request_->shared_group();
  request_->set_deciders(std::make_shared<FixedChoices>(group, runtime::Mode::blocking_with));
}

}  // namespace adcl::interpose
