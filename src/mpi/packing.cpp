#include "mpi/packing.hpp"

#include <algorithm>

#include "core/address.hpp"
#include "mpi/check.hpp"
#include "mpi/environment.hpp"

namespace adcl::mpi {
namespace {

#ifdef MPICH_NUMVERSION
/// MPICH 4.0 packs only a part of a contiguous datatype: it uses the number of the datatype's handle, divided by 256,
/// as the size of a basic element, and omits the data after the last whole element. The defect appears once 512
/// datatypes exist.
void repack(const void* array, MPI_Datatype type, void* buffer, int bytes, int before, int& position) {
  int size = 0;
  check(MPI_Type_size(type, &size), "MPI_Type_size");
  if (position - before == size) {
    return;
  }
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  check(MPI_Type_get_true_extent(type, &lower_bound, &extent), "MPI_Type_get_true_extent");
  position = before;
  check(MPI_Pack(static_cast<const std::byte*>(array) + lower_bound, size, MPI_BYTE, buffer, bytes, &position,
                 environment().self()),
        "MPI_Pack");
}
#endif

void pack_one(const void* array, MPI_Datatype type, void* buffer, int bytes, int& position) {
  [[maybe_unused]] const int before = position;
  check(MPI_Pack(array, 1, type, buffer, bytes, &position, environment().self()), "MPI_Pack");
#ifdef MPICH_NUMVERSION
  repack(array, type, buffer, bytes, before, position);
#endif
}

/// Arguments of MPI_Pack for entries of \p type at \p array. MPICH 4.0 rejects a null pointer, the value of MPI_BOTTOM;
/// in this case a datatype describes the entries from their first byte on.
template <typename Byte>
class Packable {
 public:
  Packable(Byte* array, const Element& element) : address(array), type(element.type()) {
    if (array != nullptr) {
      return;
    }
    const int one = 1;
    const MPI_Aint before = -static_cast<MPI_Aint>(element.true_lower_bound());
    check(MPI_Type_create_hindexed(1, &one, &before, element.type(), &type), "MPI_Type_create_hindexed");
    owned_ = Datatype(type);
    check(MPI_Type_commit(&type), "MPI_Type_commit");
    address = adcl::address(array, element.true_lower_bound());
  }
  Byte* address;
  MPI_Datatype type;

 private:
  Datatype owned_;
};

/// Calls \p move(first entry, number of entries, bytes) for parts whose bytes fit into an int.
template <typename Move>
void for_each_part(std::int64_t count, std::int64_t entry_bytes, const Move& move) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
  const std::int64_t most = std::max<std::int64_t>(most_bytes / std::max<std::int64_t>(entry_bytes, 1), 1);
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t entries = std::min(most, count - first);
    move(first, static_cast<int>(entries), static_cast<int>(entries * entry_bytes));
  }
}

}  // namespace

void pack(const void* array, const Datatype& type, void* buffer, int bytes, int& position) {
  pack_one(array, type.get(), buffer, bytes, position);
}

void unpack(const void* buffer, int bytes, int& position, void* array, const Datatype& type) {
  check(MPI_Unpack(buffer, bytes, &position, array, 1, type.get(), environment().self()), "MPI_Unpack");
}

void pack_entries(const std::byte* array, std::int64_t count, const Element& type, std::byte* packed) {
  for_each_part(count, type.size_bytes(), [&](std::int64_t first, int entries, int bytes) {
    const Packable from(address(array, first * type.extent_bytes()), type);
    std::byte* to = packed + first * type.size_bytes();
    int position = 0;
    check(MPI_Pack(from.address, entries, from.type, to, bytes, &position, environment().self()), "MPI_Pack");
    if (position == bytes) {
      return;
    }
    // MPICH omitted data (see repack): pack the entries one by one.
    position = 0;
    for (int i = 0; i < entries; ++i) {
      pack_one(from.address + i * type.extent_bytes(), from.type, to, bytes, position);
    }
  });
}

void unpack_entries(const std::byte* packed, std::byte* array, std::int64_t count, const Element& type) {
  for_each_part(count, type.size_bytes(), [&](std::int64_t first, int entries, int bytes) {
    const Packable to(address(array, first * type.extent_bytes()), type);
    int position = 0;
    check(MPI_Unpack(packed + first * type.size_bytes(), bytes, &position, to.address, entries, to.type,
                     environment().self()),
          "MPI_Unpack");
  });
}

}  // namespace adcl::mpi
