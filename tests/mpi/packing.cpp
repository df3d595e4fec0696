// ranks: 1 3
// Packs and unpacks datatypes of various lengths and numbers of pieces, one after the other, with various numbers of
// existing datatypes.
#include "mpi/packing.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "support/many_datatypes.hpp"
#include "support/suite.hpp"

namespace adcl::test {
namespace {

/// \p count pieces of \p length basic elements, at distances of \p stride elements, the first at element \p offset.
struct Pieces {
  MPI_Datatype basic;
  int bytes;  ///< size of a basic element
  int count;
  int length;
  int stride;
  int offset;
};

mpi::Datatype datatype_of(const Pieces& pieces) {
  std::vector<int> places;
  for (int i = 0; i < pieces.count; ++i) {
    places.push_back(pieces.offset + i * pieces.stride);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_indexed_block(pieces.count, pieces.length, places.data(), pieces.basic, &type);
  MPI_Type_commit(&type);
  return mpi::Datatype(type);
}

std::vector<std::byte> bytes_of(const Pieces& pieces, const std::vector<std::byte>& array) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < pieces.count; ++i) {
    const auto begin = array.begin() + (pieces.offset + i * pieces.stride) * pieces.bytes;
    bytes.insert(bytes.end(), begin, begin + pieces.length * pieces.bytes);
  }
  return bytes;
}

void pack_and_unpack(Suite& suite, const Pieces& pieces, int kept) {
  const std::string what = text(pieces.count, " pieces of ", pieces.length, " elements of ", pieces.bytes,
                                " bytes, with ", kept, " datatypes alive");
  suite.step(what);
  std::vector<std::byte> array(4096);
  for (std::size_t i = 0; i < array.size(); ++i) {
    array[i] = static_cast<std::byte>(7 * i + 1);
  }
  const mpi::Datatype type = datatype_of(pieces);
  const std::vector<std::byte> data = bytes_of(pieces, array);
  std::vector<std::byte> expected = data;
  expected.insert(expected.end(), data.begin(), data.end());
  std::vector<std::byte> packed(expected.size());
  const int room = static_cast<int>(packed.size());
  int position = 0;
  mpi::pack(array.data(), type, packed.data(), room, position);
  mpi::pack(array.data(), type, packed.data(), room, position);
  suite.expect(position == room && packed == expected, text("packed wrong: ", what, ", up to position ", position));
  std::vector<std::byte> copy(array.size());
  position = room / 2;
  mpi::unpack(expected.data(), room, position, copy.data(), type);
  suite.expect(position == room && bytes_of(pieces, copy) == data, text("unpacked wrong: ", what));
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    for (const int kept : {0, 600, 5000}) {
      const adcl::test::ManyDatatypes others(kept);
      for (const auto& [basic, bytes] : {std::pair{MPI_CHAR, 1}, std::pair{MPI_SHORT, 2}, std::pair{MPI_DOUBLE, 8}}) {
        for (int length = 1; length < 20; ++length) {
          adcl::test::pack_and_unpack(suite, {basic, bytes, 1, length, length, 2}, kept);
          adcl::test::pack_and_unpack(suite, {basic, bytes, 3, length, length + 2, 1}, kept);
        }
      }
    }
  });
}
