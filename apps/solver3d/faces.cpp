#include "faces.hpp"

namespace solver3d {
namespace {

Layer layer_at(const Layout& layout, int dimension, int index) {
  Layer layer{{1, 1, 1}, layout.block};
  const auto d = static_cast<std::size_t>(dimension);
  layer.first[d] = index;
  layer.extents[d] = 1;
  return layer;
}

MPI_Datatype type_of(const Layout& layout, const Layer& layer) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, layout.padded.data(), layer.extents.data(), layer.first.data(), MPI_ORDER_C, MPI_DOUBLE,
                           &type);
  MPI_Type_commit(&type);
  return type;
}

}  // namespace

Layer inner_layer(const Layout& layout, int dimension, Side side) {
  return layer_at(layout, dimension, side == low ? 1 : layout.block[static_cast<std::size_t>(dimension)]);
}

Layer halo_layer(const Layout& layout, int dimension, Side side) {
  return layer_at(layout, dimension, side == low ? 0 : layout.block[static_cast<std::size_t>(dimension)] + 1);
}

FaceTypes::FaceTypes(const Layout& layout) {
  for (int dimension = 0; dimension < 3; ++dimension) {
    for (const Side side : {low, high}) {
      sent_[index(dimension, side)] = type_of(layout, inner_layer(layout, dimension, side));
      received_[index(dimension, side)] = type_of(layout, halo_layer(layout, dimension, side));
    }
  }
}

FaceTypes::~FaceTypes() {
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    MPI_Type_free(&sent_[i]);
    MPI_Type_free(&received_[i]);
  }
}

}  // namespace solver3d
