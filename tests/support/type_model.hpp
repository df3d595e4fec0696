/// \file type_model.hpp
/// Datatypes of tests together with what the test knows of their layout without asking MPI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mpi/datatype.hpp"

namespace adcl::test {

/// Types of one family have the same signature: what is sent as one of them may be received as another one.
enum class Family { character, real, triple, record };

struct TypeModel {
  std::string name;
  mpi::Datatype type;
  std::vector<std::int64_t> bytes;  ///< where the data bytes of an entry are, in the order in which they travel
  std::int64_t extent_bytes = 0;
};

/// The memory layouts of the family that the MPI library at hand can do, the plainest first.
std::vector<int> variants(Family family);

/// Data bytes of an entry.
int data_bytes(Family family);

std::string variant_name(Family family, int variant);

/// Layout \p variant of the family, committed. \p entries is the number of entries of the array it is for: in one
/// layout the components of an entry are that far apart (a structure of arrays).
TypeModel make_type(Family family, int variant, std::int64_t entries);

}  // namespace adcl::test
