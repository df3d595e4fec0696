#include "interpose/key.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace adcl::interpose {
namespace {

// Handles are not constant expressions in all MPI libraries.
const auto& operations() {
  static const std::array<MPI_Op, 10> all = {MPI_SUM,  MPI_PROD, MPI_MAX, MPI_MIN,  MPI_LAND,
                                             MPI_BAND, MPI_LOR,  MPI_BOR, MPI_LXOR, MPI_BXOR};
  return all;
}

constexpr std::size_t arithmetic_operations = 4;  ///< the first operations, which apply to floating-point numbers

struct NumberType {
  MPI_Datatype type;
  NumberKind kind;
};

/// Numeric datatypes of C and Fortran, without their sizes, which MPI_Type_size returns.
const auto& number_types() {
  using enum NumberKind;
  static const std::array all = {NumberType{MPI_INT, signed_integer},
                                 NumberType{MPI_LONG, signed_integer},
                                 NumberType{MPI_LONG_LONG, signed_integer},
                                 NumberType{MPI_SHORT, signed_integer},
                                 NumberType{MPI_SIGNED_CHAR, signed_integer},
                                 NumberType{MPI_INT8_T, signed_integer},
                                 NumberType{MPI_INT16_T, signed_integer},
                                 NumberType{MPI_INT32_T, signed_integer},
                                 NumberType{MPI_INT64_T, signed_integer},
                                 NumberType{MPI_AINT, signed_integer},
                                 NumberType{MPI_OFFSET, signed_integer},
                                 NumberType{MPI_COUNT, signed_integer},
                                 NumberType{MPI_UNSIGNED, unsigned_integer},
                                 NumberType{MPI_UNSIGNED_LONG, unsigned_integer},
                                 NumberType{MPI_UNSIGNED_LONG_LONG, unsigned_integer},
                                 NumberType{MPI_UNSIGNED_SHORT, unsigned_integer},
                                 NumberType{MPI_UNSIGNED_CHAR, unsigned_integer},
                                 NumberType{MPI_UINT8_T, unsigned_integer},
                                 NumberType{MPI_UINT16_T, unsigned_integer},
                                 NumberType{MPI_UINT32_T, unsigned_integer},
                                 NumberType{MPI_UINT64_T, unsigned_integer},
                                 NumberType{MPI_INTEGER, signed_integer},
                                 NumberType{MPI_REAL, floating_point},
                                 NumberType{MPI_DOUBLE_PRECISION, floating_point},
                                 NumberType{MPI_FLOAT, floating_point},
                                 NumberType{MPI_DOUBLE, floating_point}};
  return all;
}

/// A side that is not significant is empty; a side in place has no datatype.
bool is_valid(const Side& side) {
  const bool absent = side.buffer == nullptr && side.count == 0 && side.type == MPI_DATATYPE_NULL;
  return absent || side.in_place() || (side.count >= 0 && side.type != MPI_DATATYPE_NULL);
}

/// The side whose type signature is the signature of one block, on this rank.
const Side& block_side(const CollectiveCall& call, bool is_root) {
  switch (call.operation) {
    case Operation::gather:
      return is_root ? call.receive : call.send;
    case Operation::scatter:
      return is_root ? call.send : call.receive;
    default:
      return call.receive.type != MPI_DATATYPE_NULL ? call.receive : call.send;
  }
}

/// The constructor of the datatype; MPI_UNDEFINED if MPI returns an error. MPI does not allow MPI_Type_get_envelope for
/// datatypes that were made with large counts.
int combiner_of(MPI_Datatype type) {
  int combiner = MPI_UNDEFINED;
#if MPI_VERSION >= 4
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count counts = 0;
  MPI_Count types = 0;
  const int code = MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
#else
  int integers = 0;
  int addresses = 0;
  int types = 0;
  const int code = MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
#endif
  return code == MPI_SUCCESS ? combiner : MPI_UNDEFINED;
}

}  // namespace

std::optional<TypeShape> shape_of(MPI_Datatype type) {
  const int combiner = combiner_of(type);
  MPI_Count bytes = 0;
  MPI_Count lower_bound = 0;
  MPI_Count extent = 0;
  if (combiner == MPI_UNDEFINED || MPI_Type_size_x(type, &bytes) != MPI_SUCCESS ||
      MPI_Type_get_extent_x(type, &lower_bound, &extent) != MPI_SUCCESS || bytes < 0) {
    return std::nullopt;
  }
  const bool named = combiner == MPI_COMBINER_NAMED;
  return TypeShape{bytes, extent, named, named && bytes == extent && lower_bound == 0};
}

std::optional<Reduction> reduction_of(MPI_Datatype type, MPI_Op op) {
  const auto operation = std::ranges::find(operations(), op);
  const auto number = std::ranges::find(number_types(), type, &NumberType::type);
  int bytes = 0;
  if (operation == operations().end() || number == number_types().end() || MPI_Type_size(type, &bytes) != MPI_SUCCESS) {
    return std::nullopt;
  }
  const auto index = static_cast<std::size_t>(operation - operations().begin());
  if (number->kind == NumberKind::floating_point && index >= arithmetic_operations) {
    return std::nullopt;
  }
  return Reduction{number->kind, static_cast<std::uint8_t>(bytes), static_cast<std::uint8_t>(index)};
}

MPI_Datatype type_of(const Reduction& reduction) {
  if (reduction.kind == NumberKind::floating_point) {
    return reduction.bytes == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE;
  }
  const bool is_signed = reduction.kind == NumberKind::signed_integer;
  switch (reduction.bytes) {
    case 1:
      return is_signed ? MPI_INT8_T : MPI_UINT8_T;
    case 2:
      return is_signed ? MPI_INT16_T : MPI_UINT16_T;
    case 4:
      return is_signed ? MPI_INT32_T : MPI_UINT32_T;
    default:
      return is_signed ? MPI_INT64_T : MPI_UINT64_T;
  }
}

MPI_Op op_of(const Reduction& reduction) { return operations().at(reduction.op); }

CollectiveCall significant(CollectiveCall call, Place place) {
  const bool is_root = call.root == place.rank;
  if (call.operation == Operation::gather || call.operation == Operation::reduce) {
    call.receive = is_root ? call.receive : Side{};
  } else if (call.operation == Operation::scatter) {
    call.send = is_root ? call.send : Side{};
  }
  // In a scatter, the receive side may be in place.
  if (call.send.in_place()) {
    call.send = {MPI_IN_PLACE, 0, MPI_DATATYPE_NULL};
  }
  if (call.receive.in_place()) {
    call.receive = {MPI_IN_PLACE, 0, MPI_DATATYPE_NULL};
  }
  return call;
}

BlockNumbers block_numbers(const Key& key, Place place) {
  const bool is_root = key.root == place.rank;
  switch (key.operation) {
    case Operation::barrier:
      return {0, 0};
    case Operation::bcast:
      return {0, 1};
    case Operation::gather:
    case Operation::gatherv:
      return {1, is_root ? place.size : 0};
    case Operation::scatter:
    case Operation::scatterv:
      return {is_root ? place.size : 0, 1};
    case Operation::allgather:
      return {1, place.size};
    case Operation::allgatherv:
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::alltoallw:
      return {place.size, place.size};
    case Operation::reduce:
      return {1, is_root ? 1 : 0};
    case Operation::reduce_scatter_block:
      return {place.size, 1};
    default:
      return {1, 1};
  }
}

std::optional<Key> key_of(const CollectiveCall& call, Place place) {
  if (call.root < 0 || call.root >= place.size) {
    return std::nullopt;
  }
  if (call.blocks != nullptr) {
    return Key{call.operation, call.root, {}, 0, call.neighborhood};
  }
  const Side& block = block_side(call, call.root == place.rank);
  if (!is_valid(call.send) || !is_valid(call.receive) || block.type == MPI_DATATYPE_NULL) {
    return std::nullopt;
  }
  Key key{call.operation, call.root, {}, 0};
  if (call.reduces()) {
    const auto reduction = reduction_of(block.type, call.op);
    if (!reduction.has_value()) {
      return std::nullopt;
    }
    key.reduction = *reduction;
  }
  const auto shape = shape_of(block.type);
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (!shape.has_value() || shape->bytes == 0 || block.count == 0 || block.count > most / place.size / shape->bytes) {
    return std::nullopt;
  }
  key.bytes = block.count * shape->bytes;
  return key;
}

}  // namespace adcl::interpose
