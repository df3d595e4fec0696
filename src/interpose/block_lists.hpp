/// \file block_lists.hpp
/// The arguments of collective calls whose blocks differ: the v and w forms, and neighborhood collectives.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "interpose/collective_call.hpp"

namespace adcl::interpose {

/// A list of integers of C or Fortran, or one integer for all blocks.
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(std::int64_t same) : same_(same) {}
  template <typename Integer>
  explicit Numbers(const Integer* list) : list_(list), form_(sizeof(Integer) == sizeof(int) ? Form::ints : Form::wide) {
    static_assert(sizeof(Integer) == sizeof(int) || sizeof(Integer) == sizeof(std::int64_t));
  }
  /// False if the program passes a null pointer.
  [[nodiscard]] bool present() const noexcept { return form_ == Form::same || list_ != nullptr; }
  [[nodiscard]] std::int64_t operator[](std::size_t i) const noexcept {
    return form_ == Form::same   ? same_
           : form_ == Form::ints ? static_cast<const int*>(list_)[i]
                                 : static_cast<const std::int64_t*>(list_)[i];
  }

 private:
  enum class Form { same, ints, wide };
  const void* list_ = nullptr;
  std::int64_t same_ = 0;
  Form form_ = Form::same;
};

/// Datatypes of the blocks: one for all, or a list of handles of C or Fortran.
class Types {
 public:
  using Convert = MPI_Datatype (*)(const void* list, std::size_t i);

  Types() = default;
  explicit Types(MPI_Datatype same) : same_(same) {}
  explicit Types(const MPI_Datatype* list)
      : Types(list, [](const void* all, std::size_t i) { return static_cast<const MPI_Datatype*>(all)[i]; }) {}
  /// \p convert returns an entry of the list.
  Types(const void* list, Convert convert) : list_(list), convert_(convert) {}
  [[nodiscard]] bool present() const noexcept { return convert_ == nullptr || list_ != nullptr; }
  [[nodiscard]] MPI_Datatype operator[](std::size_t i) const {
    return convert_ != nullptr ? convert_(list_, i) : same_;
  }

 private:
  MPI_Datatype same_ = MPI_DATATYPE_NULL;
  const void* list_ = nullptr;
  Convert convert_ = nullptr;
};

/// The blocks that a rank sends or receives.
struct BlockList {
  /// Meaning of a displacement.
  enum class Place {
    consecutive,  ///< no displacements: each block follows the previous one
    entries,      ///< number of entries
    bytes
  };
  const void* buffer = nullptr;
  Numbers counts;
  Numbers displacements;
  Types types;
  Place place = Place::entries;

  [[nodiscard]] bool in_place() const noexcept { return buffer == MPI_IN_PLACE; }
};

/// Arguments as the program passes them.
struct BlockLists {
  BlockList send;
  BlockList receive;
};

/// Whether the blocks of a call may differ between ranks and calls.
constexpr bool has_block_lists(Call call) {
  switch (call) {
    case Call::Neighbor_allgather:
    case Call::Neighbor_allgatherv:
    case Call::Neighbor_alltoall:
    case Call::Neighbor_alltoallv:
    case Call::Neighbor_alltoallw:
    case Call::Alltoallv:
    case Call::Alltoallw:
    case Call::Allgatherv:
    case Call::Gatherv:
    case Call::Scatterv:
      return true;
    default:
      return false;
  }
}

constexpr bool has_root(Call call) { return call == Call::Gatherv || call == Call::Scatterv; }

constexpr bool is_neighborhood(Call call) {
  return call == Call::Neighbor_allgather || call == Call::Neighbor_allgatherv || call == Call::Neighbor_alltoall ||
         call == Call::Neighbor_alltoallv || call == Call::Neighbor_alltoallw;
}

constexpr Operation operation_of(Call call) {
  switch (call) {
    case Call::Neighbor_allgather:
      return Operation::allgather;
    case Call::Allgatherv:
    case Call::Neighbor_allgatherv:
      return Operation::allgatherv;
    case Call::Neighbor_alltoall:
      return Operation::alltoall;
    case Call::Alltoallw:
    case Call::Neighbor_alltoallw:
      return Operation::alltoallw;
    case Call::Gatherv:
      return Operation::gatherv;
    case Call::Scatterv:
      return Operation::scatterv;
    default:
      return Operation::alltoallv;
  }
}

namespace arguments {

/// The same data for all links, or the data of the only link.
template <typename Count>
BlockList one_block(const void* buffer, Count count, MPI_Datatype type) {
  return {buffer, Numbers(static_cast<std::int64_t>(count)), Numbers(std::int64_t{0}), Types(type)};
}

template <typename Count>
BlockList equal_blocks(const void* buffer, Count count, MPI_Datatype type) {
  return {buffer, Numbers(static_cast<std::int64_t>(count)), {}, Types(type), BlockList::Place::consecutive};
}

template <typename Count, typename Displacement>
BlockList listed_blocks(const void* buffer, const Count* counts, const Displacement* displacements, Types types,
                        BlockList::Place place = BlockList::Place::entries) {
  return {buffer, Numbers(counts), Numbers(displacements), types, place};
}

}  // namespace arguments

/// Converts the arguments of the C function; lists of datatypes may also be passed as Types.
template <Call call, typename... Arguments>
BlockLists block_lists(Arguments... all) {
  static_assert(has_block_lists(call));
  using namespace arguments;  // NOLINT(google-build-using-namespace)
  const auto a = std::tuple(all...);
  using std::get;
  if constexpr (call == Call::Neighbor_allgather) {
    return {one_block(get<0>(a), get<1>(a), get<2>(a)), equal_blocks(get<3>(a), get<4>(a), get<5>(a))};
  } else if constexpr (call == Call::Neighbor_alltoall) {
    return {equal_blocks(get<0>(a), get<1>(a), get<2>(a)), equal_blocks(get<3>(a), get<4>(a), get<5>(a))};
  } else if constexpr (call == Call::Scatterv) {
    return {listed_blocks(get<0>(a), get<1>(a), get<2>(a), Types(get<3>(a))),
            one_block(get<4>(a), get<5>(a), get<6>(a))};
  } else if constexpr (operation_of(call) == Operation::allgatherv || call == Call::Gatherv) {
    return {one_block(get<0>(a), get<1>(a), get<2>(a)),
            listed_blocks(get<3>(a), get<4>(a), get<5>(a), Types(get<6>(a)))};
  } else {
    constexpr auto place =
        operation_of(call) == Operation::alltoallw ? BlockList::Place::bytes : BlockList::Place::entries;
    return {listed_blocks(get<0>(a), get<1>(a), get<2>(a), Types(get<3>(a)), place),
            listed_blocks(get<4>(a), get<5>(a), get<6>(a), Types(get<7>(a)), place)};
  }
}

/// The call with these blocks, which outlive the result.
template <Call call>
CollectiveCall call_with(const BlockLists& blocks, MPI_Comm comm, int root) {
  CollectiveCall result{operation_of(call), comm, {}, {}, MPI_OP_NULL, root};
  result.neighborhood = is_neighborhood(call);
  result.blocks = &blocks;
  return result;
}

}  // namespace adcl::interpose
