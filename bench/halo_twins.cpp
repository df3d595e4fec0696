#include "halo_twins.hpp"

#include <cstddef>
#include <cstring>

namespace twins {
namespace {

/// One side of one dimension: what leaves towards it and what arrives from it.
struct Side {
  int peer = MPI_PROC_NULL;
  int send_tag = 0;
  int receive_tag = 0;
  std::vector<int> send_start;
  std::vector<int> receive_start;
  std::vector<int> extent;
};

std::vector<Side> sides_of(const Block& block) {
  std::vector<Side> sides;
  for (std::size_t d = 0; d < block.dims.size(); ++d) {
    int peers[2];
    MPI_Cart_shift(block.cart, static_cast<int>(d), 1, &peers[0], &peers[1]);
    for (int high = 0; high < 2; ++high) {
      Side side;
      side.peer = peers[high];
      side.send_tag = static_cast<int>(2 * d) + high;
      side.receive_tag = static_cast<int>(2 * d) + 1 - high;
      side.send_start.assign(block.dims.size(), 1);
      side.receive_start.assign(block.dims.size(), 1);
      for (const int extent : block.dims) {
        side.extent.push_back(extent - 2);
      }
      side.extent[d] = 1;
      side.send_start[d] = high == 1 ? block.dims[d] - 2 : 1;
      side.receive_start[d] = high == 1 ? block.dims[d] - 1 : 0;
      sides.push_back(side);
    }
  }
  return sides;
}

MPI_Datatype face_type(const Block& block, const Side& side, const std::vector<int>& start) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(static_cast<int>(block.dims.size()), block.dims.data(), side.extent.data(), start.data(),
                           MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

/// Types of all sides, as the three methods with derived types use them.
struct Types {
  explicit Types(const Block& block) : sides(sides_of(block)) {
    for (const Side& side : sides) {
      send.push_back(face_type(block, side, side.send_start));
      receive.push_back(face_type(block, side, side.receive_start));
    }
  }
  ~Types() {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      MPI_Type_free(&send[i]);
      MPI_Type_free(&receive[i]);
    }
  }
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;
  std::vector<Side> sides;
  std::vector<MPI_Datatype> send;
  std::vector<MPI_Datatype> receive;
};

class Ddt final : public Twin {
 public:
  explicit Ddt(const Block& block) : block_(block), types_(block), requests_(2 * types_.sides.size()) {}
  void exchange() override {
    std::size_t r = 0;
    for (std::size_t i = 0; i < types_.sides.size(); ++i) {
      const Side& side = types_.sides[i];
      MPI_Irecv(block_.data, 1, types_.receive[i], side.peer, side.receive_tag, block_.cart, &requests_[r++]);
    }
    for (std::size_t i = 0; i < types_.sides.size(); ++i) {
      const Side& side = types_.sides[i];
      MPI_Isend(block_.data, 1, types_.send[i], side.peer, side.send_tag, block_.cart, &requests_[r++]);
    }
    MPI_Waitall(static_cast<int>(r), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  Block block_;
  Types types_;
  std::vector<MPI_Request> requests_;
};

class Packed final : public Twin {
 public:
  explicit Packed(const Block& block) : block_(block), sides_(sides_of(block)), requests_(2 * sides_.size()) {
    for (const Side& side : sides_) {
      std::size_t count = 1;
      for (const int extent : side.extent) {
        count *= static_cast<std::size_t>(extent);
      }
      out_.emplace_back(count);
      in_.emplace_back(count);
    }
  }
  void exchange() override {
    std::size_t r = 0;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      MPI_Irecv(in_[i].data(), static_cast<int>(in_[i].size()), MPI_DOUBLE, sides_[i].peer, sides_[i].receive_tag,
                block_.cart, &requests_[r++]);
    }
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      if (sides_[i].peer != MPI_PROC_NULL) {
        copy<true>(sides_[i], sides_[i].send_start, out_[i].data());
      }
      MPI_Isend(out_[i].data(), static_cast<int>(out_[i].size()), MPI_DOUBLE, sides_[i].peer, sides_[i].send_tag,
                block_.cart, &requests_[r++]);
    }
    MPI_Waitall(static_cast<int>(r), requests_.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      if (sides_[i].peer != MPI_PROC_NULL) {
        copy<false>(sides_[i], sides_[i].receive_start, in_[i].data());
      }
    }
  }

 private:
  /// Nested loops over up to three dimensions; a missing one counts as extent 1.
  template <bool Packing>
  void copy(const Side& side, const std::vector<int>& start, double* buffer) const {
    const std::size_t n = block_.dims.size();
    const auto at = [&](const std::vector<int>& values, std::size_t from_last, int otherwise) {
      return static_cast<std::size_t>(from_last < n ? values[n - 1 - from_last] : otherwise);
    };
    const std::size_t row = at(block_.dims, 0, 1);
    const std::size_t plane = row * at(block_.dims, 1, 1);
    const std::size_t length = at(side.extent, 0, 1);
    for (std::size_t i = 0; i < at(side.extent, 2, 1); ++i) {
      for (std::size_t j = 0; j < at(side.extent, 1, 1); ++j) {
        double* cells = block_.data + (at(start, 2, 0) + i) * plane + (at(start, 1, 0) + j) * row + at(start, 0, 0);
        for (std::size_t k = 0; k < length; ++k) {
          if constexpr (Packing) {
            *buffer++ = cells[k];
          } else {
            cells[k] = *buffer++;
          }
        }
      }
    }
  }

  Block block_;
  std::vector<Side> sides_;
  std::vector<MPI_Request> requests_;
  std::vector<std::vector<double>> out_;
  std::vector<std::vector<double>> in_;
};

class Persistent final : public Twin {
 public:
  explicit Persistent(const Block& block) : types_(block) {
    for (std::size_t i = 0; i < types_.sides.size(); ++i) {
      const Side& side = types_.sides[i];
      MPI_Recv_init(block.data, 1, types_.receive[i], side.peer, side.receive_tag, block.cart,
                    &requests_.emplace_back());
    }
    for (std::size_t i = 0; i < types_.sides.size(); ++i) {
      const Side& side = types_.sides[i];
      MPI_Send_init(block.data, 1, types_.send[i], side.peer, side.send_tag, block.cart, &requests_.emplace_back());
    }
  }
  ~Persistent() override {
    for (MPI_Request& request : requests_) {
      MPI_Request_free(&request);
    }
  }
  void exchange() override {
    MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  Types types_;
  std::vector<MPI_Request> requests_;
};

class Neighbor final : public Twin {
 public:
  explicit Neighbor(const Block& block)
      : block_(block), types_(block), counts_(types_.sides.size(), 1), displacements_(types_.sides.size(), 0) {}
  void exchange() override {
    MPI_Neighbor_alltoallw(block_.data, counts_.data(), displacements_.data(), types_.send.data(), block_.data,
                           counts_.data(), displacements_.data(), types_.receive.data(), block_.cart);
  }

 private:
  Block block_;
  Types types_;
  std::vector<int> counts_;
  std::vector<MPI_Aint> displacements_;
};

template <typename Method>
std::unique_ptr<Twin> make(const Block& block) {
  return std::make_unique<Method>(block);
}

}  // namespace

const std::vector<Row>& table() {
  static const std::vector<Row> rows = {
      {"ddt", make<Ddt>}, {"packed", make<Packed>}, {"persistent", make<Persistent>}, {"neighbor", make<Neighbor>}};
  return rows;
}

}  // namespace twins
