/// First come, first served, with layers copied to contiguous buffers and back by this program.
#include <algorithm>

#include "exchange_rows.hpp"
#include "faces.hpp"

namespace solver3d {
namespace {

/// The elements of a layer: \p planes times \p lines runs of \p length contiguous ones.
struct Runs {
  std::size_t origin;
  std::size_t planes, lines, length;
};

Runs runs_of(const Layout& layout, const Layer& layer) {
  return {layout.offset(layer.first[0] - 1, layer.first[1] - 1, layer.first[2] - 1),
          static_cast<std::size_t>(layer.extents[0]), static_cast<std::size_t>(layer.extents[1]),
          static_cast<std::size_t>(layer.extents[2])};
}

void pack(const Layout& layout, const Runs& runs, const double* array, double* buffer) {
  for (std::size_t i = 0; i < runs.planes; ++i) {
    const double* line = array + runs.origin + i * layout.x_stride;
    for (std::size_t j = 0; j < runs.lines; ++j, line += layout.y_stride) {
      buffer = std::copy_n(line, runs.length, buffer);
    }
  }
}

void unpack(const Layout& layout, const Runs& runs, const double* buffer, double* array) {
  for (std::size_t i = 0; i < runs.planes; ++i) {
    double* line = array + runs.origin + i * layout.x_stride;
    for (std::size_t j = 0; j < runs.lines; ++j, line += layout.y_stride, buffer += runs.length) {
      std::copy_n(buffer, runs.length, line);
    }
  }
}

struct Face {
  int rank;
  int send_tag, receive_tag;
  Runs sent, received;
  std::vector<double> send_buffer, receive_buffer;
};

class FcfsPack final : public Exchange {
 public:
  FcfsPack(const Grid& grid, std::span<double* const> arrays) : grid_(grid), arrays_(arrays.begin(), arrays.end()) {
    const Layout& layout = grid.layout();
    for (int dimension = 0; dimension < 3; ++dimension) {
      for (const Side side : {low, high}) {
        if (grid.neighbor(dimension, side) == MPI_PROC_NULL) {
          continue;
        }
        const Runs sent = runs_of(layout, inner_layer(layout, dimension, side));
        const Runs received = runs_of(layout, halo_layer(layout, dimension, side));
        const std::size_t count = sent.planes * sent.lines * sent.length;
        faces_.push_back({grid.neighbor(dimension, side), tag_of(dimension, side), tag_of(dimension, opposite(side)),
                          sent, received, std::vector<double>(count), std::vector<double>(count)});
      }
    }
    requests_.resize(2 * faces_.size());
  }

  void start(std::size_t index) override {
    std::size_t pending = 0;
    for (Face& face : faces_) {
      MPI_Irecv(face.receive_buffer.data(), static_cast<int>(face.receive_buffer.size()), MPI_DOUBLE, face.rank,
                face.receive_tag, grid_.comm(), &requests_[pending++]);
    }
    for (Face& face : faces_) {
      pack(grid_.layout(), face.sent, arrays_[index], face.send_buffer.data());
      MPI_Isend(face.send_buffer.data(), static_cast<int>(face.send_buffer.size()), MPI_DOUBLE, face.rank,
                face.send_tag, grid_.comm(), &requests_[pending++]);
    }
  }

  void finish(std::size_t index) override {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (const Face& face : faces_) {
      unpack(grid_.layout(), face.received, face.receive_buffer.data(), arrays_[index]);
    }
  }

 private:
  const Grid& grid_;
  std::vector<double*> arrays_;
  std::vector<Face> faces_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

ExchangePointer make_fcfs_pack(const Grid& grid, std::span<double* const> arrays) {
  return std::make_unique<FcfsPack>(grid, arrays);
}

}  // namespace solver3d
