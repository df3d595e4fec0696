#include "halo/methods.hpp"

#include <ADCL.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "halo/twins/twins.hpp"

namespace bench {
namespace {

constexpr double slow_s = 0.2;  ///< a slower call is not repeated to exclude a disturbance

using twins::Block;
using twins::Side;

/// Vectors with the shape of the block's fields, in memory of the library.
class Vectors {
 public:
  explicit Vectors(const Block& block) : fields_(block.fields.size()) {
    const int ndims = static_cast<int>(block.dims.size());
    for (double*& field : fields_) {
      check(ADCL_Vector_allocate(ndims, block.dims.data(), 0, MPI_DOUBLE, static_cast<void*>(&field),
                                 &handles_.emplace_back(ADCL_VECTOR_NULL)),
            "ADCL_Vector_allocate");
    }
  }
  ~Vectors() {
    for (ADCL_Vector& vector : handles_) {
      check(ADCL_Vector_free(&vector), "ADCL_Vector_free");
    }
  }
  Vectors(const Vectors&) = delete;
  Vectors& operator=(const Vectors&) = delete;
  [[nodiscard]] const std::vector<ADCL_Vector>& handles() const { return handles_; }
  [[nodiscard]] const std::vector<double*>& fields() const { return fields_; }

 private:
  std::vector<double*> fields_;
  std::vector<ADCL_Vector> handles_;
};

/// A request with one preselected codelet, or with all codelets if `codelets` is empty.
class Request {
 public:
  Request(const Block& block, std::shared_ptr<const Vectors> vectors, const std::string& codelets)
      : vectors_(std::move(vectors)) {
    check(ADCL_Option_set("ADCL_CODELETS", codelets.c_str()), "ADCL_Option_set");
    ADCL_Vmap vmap = ADCL_VMAP_NULL;
    ADCL_Topology topology = ADCL_TOPOLOGY_NULL;
    check(ADCL_Vmap_halo_allocate(1, &vmap), "ADCL_Vmap_halo_allocate");
    check(block.corners ? ADCL_Topology_create_extended(block.cart, &topology)
                        : ADCL_Topology_create(block.cart, 0, &topology),
          "ADCL_Topology_create");
    const auto& fields = vectors_->handles();
    const std::vector<ADCL_Vmap> vmaps(fields.size(), vmap);
    check(ADCL_Request_create_several(static_cast<int>(fields.size()), fields.data(), vmaps.data(), fields.data(),
                                      vmaps.data(), topology, ADCL_FNCTSET_NEIGHBORHOOD, &request_),
          "ADCL_Request_create_several");
    check(ADCL_Vmap_free(&vmap), "ADCL_Vmap_free");
    check(ADCL_Topology_free(&topology), "ADCL_Topology_free");
  }
  ~Request() { check(ADCL_Request_free(&request_), "ADCL_Request_free"); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  void run() const { check(ADCL_Request_start(request_), "ADCL_Request_start"); }

  [[nodiscard]] std::vector<std::string> codelets() const {
    int count = 0;
    check(ADCL_Request_get_functions_num(request_, &count), "ADCL_Request_get_functions_num");
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
      char name[ADCL_MAX_NAME];
      check(ADCL_Request_get_statistics(request_, i, name, sizeof name, nullptr, nullptr, nullptr, nullptr),
            "ADCL_Request_get_statistics");
      names.emplace_back(name);
    }
    return names;
  }

 private:
  std::shared_ptr<const Vectors> vectors_;
  ADCL_Request request_ = ADCL_REQUEST_NULL;
};

void add_codelets(std::vector<Method>& methods, const Block& block) {
  const auto vectors = std::make_shared<const Vectors>(block);
  for (const std::string& name : Request(block, vectors, "").codelets()) {
    const auto request = std::make_shared<const Request>(block, vectors, "neighborhood:" + name);
    methods.push_back({Kind::codelet, name, [r = request.get()] { r->run(); }, vectors->fields(), request});
  }
}

void add_twins(std::vector<Method>& methods, const Block& block) {
  for (const twins::Row& row : twins::all_twins()) {
    std::shared_ptr<twins::Twin> twin = row.make(block);
    if (twin == nullptr) {
      continue;
    }
    const auto own = twin->fields();
    const auto& fields = own.empty() ? block.fields : own;
    methods.push_back({Kind::twin, row.name, [t = twin.get()] { t->exchange(); }, fields, twin});
    if (auto copies = twin->copies()) {
      methods.push_back({Kind::bound, "copies out of neighbors' arrays", std::move(copies), fields, twin});
      methods.push_back({Kind::handshake, "handshake", twin->handshake(), fields, twin});
    }
  }
}

void add_bound(std::vector<Method>& methods, const Block& block) {
  const auto sides = std::make_shared<std::vector<Side>>(twins::sides_of(block));
  methods.push_back({Kind::bound, "copies in the rank's own array",
                     [sides = sides.get(), fields = block.fields] {
                       for (const Side& side : *sides) {
                         for (double* field : fields) {
                           twins::copy(side.sent_by_peer, field, side.receive, field);
                         }
                       }
                     },
                     block.fields, sides});
}

double value_at(int rank, std::size_t field, std::size_t index) {
  return static_cast<double>(index) + 0.25 * rank + 0.125 * static_cast<double>(field);
}

template <typename Visit>
void for_each_cell(const twins::Box& box, Visit&& visit) {
  for (std::size_t i = 0; i < box.extent[0]; ++i) {
    for (std::size_t j = 0; j < box.extent[1]; ++j) {
      for (std::size_t k = 0; k < box.extent[2]; ++k) {
        visit(box.offset() + i * box.stride[0] + j * box.stride[1] + k * box.stride[2]);
      }
    }
  }
}

/// Contents of a field after an exchange. Outside the cells that the sides receive, also its contents before.
std::vector<double> truth(const Block& block, std::size_t field, int rank) {
  std::vector<double> cells(block.points());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = value_at(rank, field, i);
  }
  for (const Side& side : twins::sides_of(block)) {
    std::vector<double> arriving;
    for_each_cell(side.sent_by_peer, [&](std::size_t index) { arriving.push_back(value_at(side.peer, field, index)); });
    auto next = arriving.begin();
    for_each_cell(side.receive, [&](std::size_t index) { cells[index] = *next++; });
  }
  return cells;
}

/// Seconds of one call, maximum over the ranks.
double seconds_of(const Method& method, const Block& block) {
  MPI_Barrier(block.cart);
  const double begin = MPI_Wtime();
  method.run();
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, block.cart);
  return seconds;
}

/// True if the result is right. Also records the time of the method.
bool right(Method& method, const Block& block, const std::vector<std::vector<double>>& expected) {
  for (std::size_t f = 0; f < expected.size(); ++f) {
    std::copy(expected[f].begin(), expected[f].end(), method.fields[f]);
    for (const Side& side : twins::sides_of(block)) {
      for_each_cell(side.receive, [&](std::size_t index) { method.fields[f][index] = -1.0; });
    }
  }
  method.first_s = seconds_of(method, block);
  if (method.first_s < slow_s) {
    method.first_s = seconds_of(method, block);  // excludes the time to make the plan
  }
  int differs = 0;
  for (std::size_t f = 0; f < expected.size(); ++f) {
    differs |= std::equal(expected[f].begin(), expected[f].end(), method.fields[f]) ? 0 : 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, block.cart);
  return differs == 0;
}

}  // namespace

std::vector<Method> methods_for(const Block& block) {
  std::vector<Method> methods;
  add_codelets(methods, block);
  add_twins(methods, block);
  add_bound(methods, block);
  return methods;
}

std::vector<std::string> remove_wrong(std::vector<Method>& methods, const Block& block) {
  std::vector<std::vector<double>> expected;
  for (std::size_t f = 0; f < block.fields.size(); ++f) {
    expected.push_back(truth(block, f, world_rank()));
  }
  std::vector<std::string> wrong;
  std::erase_if(methods, [&](Method& method) {
    if (method.kind == Kind::bound || method.kind == Kind::handshake || right(method, block, expected)) {
      return false;
    }
    if (method.kind == Kind::codelet) {
      std::fprintf(stderr, "codelet %s gives a wrong result\n", method.name.c_str());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    wrong.push_back(method.name);
    return true;
  });
  return wrong;
}

}  // namespace bench
