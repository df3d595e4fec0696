/// \file type_model.hpp
/// Datatypes of tests together with their layout, computed without MPI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mpi/datatype.hpp"

namespace adcl::test {

/// Types of one family have the same signature: data sent with one type may be received with another type.
enum class Family { character, real, triple, record };

struct TypeModel {
  std::string name;
  mpi::Datatype type;
  std::vector<std::int64_t> bytes;  ///< offsets of the data bytes of an entry, in message order
  std::int64_t extent_bytes = 0;
};

/// The memory layouts of the family that the MPI library supports, the simplest first.
std::vector<int> variants(Family family);

/// Data bytes of an entry.
int data_bytes(Family family);

std::string variant_name(Family family, int variant);

/// Layout \p variant of the family, committed. \p entries is the number of entries of its array: in one layout it is
/// the distance between the components of an entry (a structure of arrays).
TypeModel make_type(Family family, int variant, std::int64_t entries);

}  // namespace adcl::test
