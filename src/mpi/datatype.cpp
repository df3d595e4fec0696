#include "mpi/datatype.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/defects.hpp"
#include "mpi/environment.hpp"

namespace adcl::mpi {
namespace {

/// MPI has no function that returns whether a type is committed. MPI libraries check the datatype of an MPI_Pack
/// with count 0 as in any other call, but MPICH does not check the datatype of an empty message to MPI_PROC_NULL.
void require_committed(MPI_Datatype type) {
  require(type != MPI_DATATYPE_NULL, Code::type, "the datatype is MPI_DATATYPE_NULL; pass a committed datatype");
  char nothing = 0;
#ifdef SMPI_H
  // SMPI (3.32) ends the simulation at an error of MPI_Pack, regardless of the communicator's error handler.
  const int code = MPI_Send(&nothing, 0, type, MPI_PROC_NULL, 0, environment().self());
#else
  int position = 0;
  const int code = MPI_Pack(&nothing, 0, type, &nothing, 1, &position, environment().self());
#endif
  require(code == MPI_SUCCESS, Code::type,
          "MPI does not accept the datatype for communication; commit it with MPI_Type_commit first");
}

Datatype commit(MPI_Datatype type) {
  Datatype owner(type);
  check(MPI_Type_commit(&type), "MPI_Type_commit");
  return owner;
}

/// A sequence of \p entries entries of \p type. MPI computes the extent from the lowest bound to the highest bound. If
/// an entry's extent is negative, this extent is not the distance to the point after the last entry.
MPI_Datatype point_type(MPI_Datatype type, int entries) {
  MPI_Datatype point = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(entries, type, &point), "MPI_Type_contiguous");
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  check(MPI_Type_get_extent(type, &lower_bound, &extent), "MPI_Type_get_extent");
  if (extent >= 0 || entries == 1) {
    return point;
  }
  const Datatype owner(point);
  MPI_Datatype resized = MPI_DATATYPE_NULL;
  check(MPI_Type_create_resized(point, lower_bound, entries * extent, &resized), "MPI_Type_create_resized");
  return resized;
}

/// Constructor of a datatype, and its arguments.
struct Construction {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> counts;  ///< arguments of constructors with large counts
  std::vector<MPI_Datatype> types;
  std::vector<Datatype> owned;  ///< the types that must be freed
};

/// The number of arguments of a datatype's constructor. The inquiry for large counts, where available, works for all
/// datatypes; the other inquiry works only for datatypes without large counts.
struct Envelope {
#if MPI_VERSION >= 4
  using Number = MPI_Count;
#else
  using Number = int;
#endif
  Number integers = 0;
  Number addresses = 0;
  Number counts = 0;
  Number types = 0;
  int combiner = MPI_COMBINER_NAMED;
};

Envelope envelope_of(MPI_Datatype type) {
  Envelope envelope;
#if MPI_VERSION >= 4
  check(MPI_Type_get_envelope_c(type, &envelope.integers, &envelope.addresses, &envelope.counts, &envelope.types,
                                &envelope.combiner),
        "MPI_Type_get_envelope_c");
#else
  check(MPI_Type_get_envelope(type, &envelope.integers, &envelope.addresses, &envelope.types, &envelope.combiner),
        "MPI_Type_get_envelope");
#endif
  return envelope;
}

/// Types that must not be freed: named types, and Fortran types of a given precision.
bool is_predefined(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

Construction construction_of(MPI_Datatype type) {
  const Envelope envelope = envelope_of(type);
  Construction made;
  made.combiner = envelope.combiner;
  if (made.combiner == MPI_COMBINER_NAMED) {
    return made;
  }
  // Allocate one more element, because some libraries reject the address of an empty array.
  made.integers.resize(static_cast<std::size_t>(envelope.integers) + 1);
  made.addresses.resize(static_cast<std::size_t>(envelope.addresses) + 1);
  made.types.resize(static_cast<std::size_t>(envelope.types) + 1, MPI_DATATYPE_NULL);
#if MPI_VERSION >= 4
  made.counts.resize(static_cast<std::size_t>(envelope.counts) + 1);
  check(MPI_Type_get_contents_c(type, envelope.integers, envelope.addresses, envelope.counts, envelope.types,
                                made.integers.data(), made.addresses.data(), made.counts.data(), made.types.data()),
        "MPI_Type_get_contents_c");
#else
  check(MPI_Type_get_contents(type, envelope.integers, envelope.addresses, envelope.types, made.integers.data(),
                              made.addresses.data(), made.types.data()),
        "MPI_Type_get_contents");
#endif
  made.types.pop_back();
#ifndef SMPI_H  // SMPI (3.32) returns the application's handles; other libraries return handles that must be freed
  for (MPI_Datatype inner : made.types) {
    if (!is_predefined(envelope_of(inner).combiner)) {
      made.owned.emplace_back(inner);
    }
  }
#endif
  return made;
}

MPI_Count size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  check(MPI_Type_size_x(type, &size), "MPI_Type_size_x");
  return size;
}

bool is_one_of(MPI_Datatype type, const auto& types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

/// Size in bytes of the basic datatypes of \p type; -1 if the sizes differ, 0 if there are none.
MPI_Count basic_size(MPI_Datatype type) {
  const std::array pairs{MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT};
  const Construction made = construction_of(type);
  if (is_predefined(made.combiner)) {
    return is_one_of(type, pairs) ? -1 : size_of(type);
  }
  MPI_Count common = 0;
  for (MPI_Datatype inner : made.types) {
    const MPI_Count size = basic_size(inner);
    if (size < 0 || (common > 0 && size > 0 && size != common)) {
      return -1;
    }
    common = std::max(common, size);
  }
  return common;
}

SequenceHash basic_signature(MPI_Datatype type, int combiner) {
  const std::array complex{MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, MPI_COMPLEX,
                           MPI_DOUBLE_COMPLEX};
  const std::array real{MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION};
  const auto item = [](MPI_Count bytes, bool floating) {
    return SequenceHash(2 * static_cast<std::uint64_t>(bytes) + (floating ? 1U : 0U));
  };
  const MPI_Count size = size_of(type);
  if (combiner == MPI_COMBINER_F90_COMPLEX || is_one_of(type, complex)) {
    return item(size / 2, true).repeated(2);
  }
  return item(size, combiner == MPI_COMBINER_F90_REAL || is_one_of(type, real));
}

/// The name that MPI or the application gave the type; may be empty.
std::string given_name(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME + 1] = {};
  int length = 0;
  check(MPI_Type_get_name(type, name, &length), "MPI_Type_get_name");
  return name;
}

/// The datatype of C that has the values of a basic datatype of Fortran; \p type if there is none.
MPI_Datatype same_in_c(MPI_Datatype type) {
  const std::array<std::pair<MPI_Datatype, MPI_Datatype>, 5> pairs{{{MPI_DOUBLE_PRECISION, MPI_DOUBLE},
                                                                    {MPI_REAL, MPI_FLOAT},
                                                                    {MPI_INTEGER, MPI_INT},
                                                                    {MPI_COMPLEX, MPI_C_FLOAT_COMPLEX},
                                                                    {MPI_DOUBLE_COMPLEX, MPI_C_DOUBLE_COMPLEX}}};
  for (const auto& [fortran, c] : pairs) {
    if (type == fortran && size_of(type) == size_of(c)) {
      return c;
    }
  }
  return type;
}

/// Hash of the datatype's structure, from MPI_Type_get_contents. Basic datatypes of C and Fortran with the same values,
/// such as MPI_DOUBLE and MPI_DOUBLE_PRECISION, have the same hash.
std::uint64_t structure_hash(MPI_Datatype type) {
  const Construction made = construction_of(type);
  Hash hash;
  if (made.combiner == MPI_COMBINER_NAMED) {
    return hash.add(static_cast<std::uint64_t>(size_of(type))).add(given_name(same_in_c(type))).value();
  }
  // A duplicate describes the same memory as its original.
  if (made.combiner != MPI_COMBINER_DUP) {
    hash.add(static_cast<std::uint64_t>(made.combiner)).add_all(made.integers).add_all(made.addresses);
    hash.add_all(made.counts);
  }
  for (MPI_Datatype inner : made.types) {
    hash.add(structure_hash(inner));
  }
  return hash.value();
}

/// MPI's type signature. Distinguishes basic datatypes only by their size and by whether they are floating-point types,
/// because languages name the types differently. A complex number counts as two floating-point numbers.
SequenceHash type_signature(MPI_Datatype type) {
  const MPI_Count size = size_of(type);
  if (size == 0) {
    return {};
  }
  const Construction made = construction_of(type);
  if (is_predefined(made.combiner)) {
    return basic_signature(type, made.combiner);
  }
  if (made.types.size() == 1) {
    // Compute the number of repetitions from the size, not from the combiner: SMPI returns a wrong combiner.
    MPI_Datatype inner = made.types.front();
    const MPI_Count part = size_of(inner);
    return part == 0 ? SequenceHash{} : type_signature(inner).repeated(size / part);
  }
  // The number of members, then their lengths.
  SequenceHash signature;
  const bool large = made.counts.size() > 1;
  for (std::size_t i = 0; i < made.types.size(); ++i) {
    const std::int64_t length = large ? static_cast<std::int64_t>(made.counts[i + 1]) : made.integers[i + 1];
    signature.append(type_signature(made.types[i]).repeated(length));
  }
  return signature;
}

std::string name_of(MPI_Datatype type) {
  const std::string given = given_name(type);
  return given.empty() ? text("derived datatype of ", size_of(type), " bytes") : given;
}

}  // namespace

Datatype::~Datatype() {
  if (type_ != MPI_DATATYPE_NULL && !is_finalized()) {
    MPI_Type_free(&type_);
  }
}

Element::Element(MPI_Datatype type, int nc) {
  require_committed(type);
  type_ = type;
  if (nc > 1 || !is_predefined(envelope_of(type).combiner)) {
    owned_ = commit(point_type(type, nc > 0 ? nc : 1));
    type_ = owned_.get();
  }
  handle_ = type_;
  if (type_ != type && nc <= 1) {
    keep_handle(type);
  }
  packed_ = type == MPI_PACKED && nc <= 1;
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_lower_bound = 0;
  MPI_Aint true_extent = 0;
  check(MPI_Type_get_extent(type_, &lower_bound, &extent), "MPI_Type_get_extent");
  check(MPI_Type_get_true_extent(type_, &true_lower_bound, &true_extent), "MPI_Type_get_true_extent");
  size_bytes_ = size_of(type_);
  extent_bytes_ = extent;
  true_lower_bound_ = true_lower_bound;
  true_extent_ = true_extent;
  dense_ = lower_bound == 0 && true_lower_bound == 0 && extent == true_extent && extent == size_bytes_;
  require(dense_ || holes_defect == nullptr, Code::unsupported, holes_defect, "; use a datatype without gaps");
  layout_hash_ = structure_hash(type_);
  mixed_ = basic_size(type_) < 0;
  signature_ = type_signature(type_);
  name_ = name_of(type) + (nc > 1 ? text(" x ", nc) : "");
}

void Element::keep_handle(MPI_Datatype type) {
#ifdef OPEN_MPI
  // MPI_Type_get_contents returns a copy here. The datatype made of this type keeps it alive.
  handle_ = type;
#else
  // MPI_Type_get_contents returns a new reference to this datatype, as the same handle in all other known libraries.
  Construction made = construction_of(type_);
  if (made.owned.size() == 1 && made.owned.front().get() == type) {
    reference_ = std::move(made.owned.front());
    handle_ = type;
  }
#endif
}

Datatype region_type(const Region& region, const Grid& grid, const Element& element) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const std::int64_t count = region.count();
  if (count == 0) {
    check(MPI_Type_contiguous(0, MPI_BYTE, &type), "MPI_Type_contiguous");
  } else if (region.indexed) {
    check(MPI_Type_create_indexed_block(static_cast<int>(count), 1, region.points.data(), element.type(), &type),
          "MPI_Type_create_indexed_block");
  } else if (grid.dims.size() == 1) {
    // SMPI (3.32) ignores the start of a one-dimensional subarray.
    const MPI_Aint offset = static_cast<MPI_Aint>(region.start[0]) * element.extent_bytes();
    check(MPI_Type_create_hindexed(1, region.extent.data(), &offset, element.type(), &type),
          "MPI_Type_create_hindexed");
  } else {
    const int order = grid.fortran_order ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
    check(MPI_Type_create_subarray(static_cast<int>(grid.dims.size()), grid.dims.data(), region.extent.data(),
                                   region.start.data(), order, element.type(), &type),
          "MPI_Type_create_subarray");
  }
  return commit(type);
}

Datatype joined_type(std::vector<Datatype> parts, const std::vector<MPI_Aint>& displacements) {
  if (parts.size() == 1 && displacements.front() == 0) {
    return std::move(parts.front());
  }
  std::vector<MPI_Datatype> types(parts.size());
  std::ranges::transform(parts, types.begin(), &Datatype::get);
  const std::vector<int> lengths(types.size(), 1);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(
      MPI_Type_create_struct(static_cast<int>(types.size()), lengths.data(), displacements.data(), types.data(), &type),
      "MPI_Type_create_struct");
  return commit(type);
}

}  // namespace adcl::mpi
