#include "halo/twins/twins.hpp"

namespace twins {
namespace {

MPI_Datatype type_of(const Block& block, const Box& box) {
  const std::size_t missing = 3 - block.dims.size();
  std::vector<int> extent;
  std::vector<int> start;
  for (std::size_t d = missing; d < 3; ++d) {
    extent.push_back(static_cast<int>(box.extent[d]));
    start.push_back(box.start[d]);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(static_cast<int>(block.dims.size()), block.dims.data(), extent.data(), start.data(),
                           MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

/// Datatypes of all sides, for the methods with derived types.
struct Types {
  explicit Types(const Block& block) : sides(sides_of(block)) {
    for (const Side& side : sides) {
      send.push_back(type_of(block, side.send));
      receive.push_back(type_of(block, side.receive));
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

/// A tag for each field of a side.
int tag_of(int side_tag, std::size_t field) { return side_tag + 32 * static_cast<int>(field); }

class Ddt final : public Twin {
 public:
  explicit Ddt(const Block& block)
      : block_(block), types_(block), requests_(2 * types_.sides.size() * block.fields.size()) {}
  void exchange() override {
    std::size_t r = 0;
    for (std::size_t f = 0; f < block_.fields.size(); ++f) {
      for (std::size_t i = 0; i < types_.sides.size(); ++i) {
        const Side& side = types_.sides[i];
        MPI_Irecv(block_.fields[f], 1, types_.receive[i], side.peer, tag_of(side.receive_tag, f), block_.cart,
                  &requests_[r++]);
      }
    }
    for (std::size_t f = 0; f < block_.fields.size(); ++f) {
      for (std::size_t i = 0; i < types_.sides.size(); ++i) {
        const Side& side = types_.sides[i];
        MPI_Isend(block_.fields[f], 1, types_.send[i], side.peer, tag_of(side.send_tag, f), block_.cart,
                  &requests_[r++]);
      }
    }
    MPI_Waitall(static_cast<int>(r), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  Block block_;
  Types types_;
  std::vector<MPI_Request> requests_;
};

class Persistent final : public Twin {
 public:
  explicit Persistent(const Block& block) : types_(block) {
    for (std::size_t f = 0; f < block.fields.size(); ++f) {
      for (std::size_t i = 0; i < types_.sides.size(); ++i) {
        const Side& side = types_.sides[i];
        MPI_Recv_init(block.fields[f], 1, types_.receive[i], side.peer, tag_of(side.receive_tag, f), block.cart,
                      &requests_.emplace_back());
      }
    }
    for (std::size_t f = 0; f < block.fields.size(); ++f) {
      for (std::size_t i = 0; i < types_.sides.size(); ++i) {
        const Side& side = types_.sides[i];
        MPI_Send_init(block.fields[f], 1, types_.send[i], side.peer, tag_of(side.send_tag, f), block.cart,
                      &requests_.emplace_back());
      }
    }
  }
  ~Persistent() override {
    for (MPI_Request& request : requests_) {
      MPI_Request_free(&request);
    }
  }
  void exchange() override {
    if (!requests_.empty()) {  // Open MPI rejects an empty list
      MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  Types types_;
  std::vector<MPI_Request> requests_;
};

/// The order of the neighbors of a Cartesian communicator is dimension by dimension, the lower one first, including
/// open ends.
class Neighbor final : public Twin {
 public:
  explicit Neighbor(const Block& block)
      : block_(block),
        types_(block),
        send_(2 * block.dims.size(), MPI_BYTE),
        receive_(send_),
        counts_(send_.size(), 0),
        displacements_(send_.size(), 0) {
    const std::size_t missing = 3 - block.dims.size();
    for (std::size_t i = 0; i < types_.sides.size(); ++i) {
      const Box& box = types_.sides[i].receive;
      for (std::size_t d = missing; d < 3; ++d) {
        const bool low = box.extent[d] == 1 && box.start[d] == 0;
        const bool high = box.extent[d] == 1 && box.start[d] == block.dims[d - missing] - 1;
        if (low || high) {
          const std::size_t place = 2 * (d - missing) + (high ? 1 : 0);
          send_[place] = types_.send[i];
          receive_[place] = types_.receive[i];
          counts_[place] = 1;
        }
      }
    }
  }
  void exchange() override {
    for (double* field : block_.fields) {
      MPI_Neighbor_alltoallw(field, counts_.data(), displacements_.data(), send_.data(), field, counts_.data(),
                             displacements_.data(), receive_.data(), block_.cart);
    }
  }

 private:
  Block block_;
  Types types_;
  std::vector<MPI_Datatype> send_;
  std::vector<MPI_Datatype> receive_;
  std::vector<int> counts_;
  std::vector<MPI_Aint> displacements_;
};

std::unique_ptr<Twin> make_neighbor(const Block& block) { return block.corners ? nullptr : make_twin<Neighbor>(block); }

}  // namespace

const std::vector<Row>& datatype_twins() {
  static const std::vector<Row> rows = {
      {"ddt", make_twin<Ddt>}, {"persistent", make_twin<Persistent>}, {"neighbor", make_neighbor}};
  return rows;
}

std::vector<Row> all_twins() {
  std::vector<Row> rows;
  for (const auto* family : {&datatype_twins(), &packed_twins(), &shared_twins()}) {
    rows.insert(rows.end(), family->begin(), family->end());
  }
  return rows;
}

}  // namespace twins
