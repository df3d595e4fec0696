#include "support/type_model.hpp"

#include <utility>

#include "mpi/check.hpp"
#include "mpi/defects.hpp"

namespace adcl::test {
namespace {

using mpi::check;

struct Part {
  MPI_Datatype type;
  std::int64_t bytes;
  std::int64_t offset;
};

/// A memory layout: the parts in message order.
struct Layout {
  const char* name;
  std::vector<Part> parts;
  std::int64_t lower_bound;
  std::int64_t extent_bytes;
};

MPI_Datatype resized(MPI_Datatype type, std::int64_t lower_bound, std::int64_t extent) {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  check(MPI_Type_create_resized(type, lower_bound, extent, &result), "MPI_Type_create_resized");
  check(MPI_Type_free(&type), "MPI_Type_free");
  return result;
}

MPI_Datatype structure(const Layout& layout) {
  std::vector<int> lengths(layout.parts.size(), 1);
  std::vector<MPI_Aint> offsets;
  std::vector<MPI_Datatype> types;
  for (const Part& part : layout.parts) {
    offsets.push_back(part.offset);
    types.push_back(part.type);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_struct(static_cast<int>(lengths.size()), lengths.data(), offsets.data(), types.data(), &type),
        "MPI_Type_create_struct");
  return resized(type, layout.lower_bound, layout.extent_bytes);
}

Part real_at(std::int64_t offset) { return {MPI_DOUBLE, 8, offset}; }
Part integer_at(std::int64_t offset) { return {MPI_INT, 4, offset}; }
Part character_at(std::int64_t offset) { return {MPI_CHAR, 1, offset}; }

Layout layout_of(Family family, int variant, std::int64_t entries) {
  switch (family) {
    case Family::character:
      return variant == 0 ? Layout{"char", {character_at(0)}, 0, 1}
                          : Layout{"char of 3 bytes", {character_at(1)}, 0, 3};
    case Family::real:
      return variant == 0 ? Layout{"double", {real_at(0)}, 0, 8} : Layout{"resized double", {real_at(0)}, 0, 16};
    case Family::triple:
      switch (variant) {
        case 0:
          return {"contiguous of 3 doubles", {real_at(0), real_at(8), real_at(16)}, 0, 24};
        case 1:
          return {"vector of 3 doubles with holes", {real_at(0), real_at(16), real_at(32)}, 0, 40};
        case 2:
          return {"3 doubles, permuted", {real_at(16), real_at(0), real_at(8)}, 0, 24};
        case 3:
          return {"3 doubles, permuted with holes", {real_at(24), real_at(0), real_at(8)}, 0, 48};
        case 4:
          return {"3 doubles after a gap", {real_at(8), real_at(16), real_at(32)}, 0, 48};
        case 5:
          return {"3 doubles from a negative offset", {real_at(-8), real_at(0), real_at(8)}, -8, 32};
        default:
          return {"structure of arrays of 3 doubles", {real_at(0), real_at(8 * entries), real_at(16 * entries)}, 0, 8};
      }
    case Family::record:
      break;
  }
  switch (variant) {
    case 0:
      return {"struct with padding", {character_at(0), real_at(8), integer_at(16)}, 0, 24};
    case 1:
      return {"packed struct", {character_at(0), real_at(1), integer_at(9)}, 0, 13};
    case 2:
      return {"struct in another order", {character_at(4), real_at(8), integer_at(0)}, 0, 16};
    default:
      return {"struct with a hole before it", {character_at(4), real_at(16), integer_at(8)}, 0, 32};
  }
}

int number_of_variants(Family family) {
  switch (family) {
    case Family::character:
    case Family::real:
      return 2;
    case Family::triple:
      return 7;
    case Family::record:
      break;
  }
  return 4;
}

bool has_holes(const Layout& layout) {
  std::int64_t bytes = 0;
  for (const Part& part : layout.parts) {
    bytes += part.bytes;
  }
  return layout.lower_bound != 0 || layout.extent_bytes != bytes;
}

/// Returns an equal layout made with another MPI constructor, if there is one.
MPI_Datatype constructed(Family family, int variant, const Layout& layout) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (variant == 0 && (family == Family::character || family == Family::real)) {
    check(MPI_Type_dup(layout.parts[0].type, &type), "MPI_Type_dup");
  } else if (family == Family::triple && variant == 0) {
    check(MPI_Type_contiguous(3, MPI_DOUBLE, &type), "MPI_Type_contiguous");
  } else if (family == Family::triple && variant == 1) {
    check(MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &type), "MPI_Type_vector");
  } else if (family == Family::triple && variant == 2) {
    const int offsets[] = {2, 0, 1};
    check(MPI_Type_create_indexed_block(3, 1, offsets, MPI_DOUBLE, &type), "MPI_Type_create_indexed_block");
  } else if (family == Family::triple && variant == 6) {
    check(MPI_Type_create_hvector(3, 1, layout.parts[1].offset, MPI_DOUBLE, &type), "MPI_Type_create_hvector");
    type = resized(type, 0, layout.extent_bytes);
  } else {
    type = structure(layout);
  }
  return type;
}

}  // namespace

std::vector<int> variants(Family family) {
  std::vector<int> usable;
  for (int variant = 0; variant < number_of_variants(family); ++variant) {
    if (mpi::holes_defect == nullptr || !has_holes(layout_of(family, variant, 2))) {
      usable.push_back(variant);
    }
  }
  return usable;
}

int data_bytes(Family family) {
  std::int64_t sum = 0;
  for (const Part& part : layout_of(family, 0, 1).parts) {
    sum += part.bytes;
  }
  return static_cast<int>(sum);
}

std::string variant_name(Family family, int variant) { return layout_of(family, variant, 1).name; }

TypeModel make_type(Family family, int variant, std::int64_t entries) {
  const Layout layout = layout_of(family, variant, entries);
  TypeModel model;
  model.name = layout.name;
  model.extent_bytes = layout.extent_bytes;
  for (const Part& part : layout.parts) {
    for (std::int64_t byte = 0; byte < part.bytes; ++byte) {
      model.bytes.push_back(part.offset + byte);
    }
  }
  MPI_Datatype type = constructed(family, variant, layout);
  check(MPI_Type_commit(&type), "MPI_Type_commit");
  model.type = mpi::Datatype(type);
  return model;
}

}  // namespace adcl::test
