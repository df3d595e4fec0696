/// \file twins.hpp
/// Halo exchanges as MPI programs contain them, to compare ADCL's codelets with: no ADCL in here. The data of all
/// fields travel in one message where messages are packed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "halo/twins/faces.hpp"

namespace twins {

/// A way of exchanging the halo of a block, made ready.
class Twin {
 public:
  Twin() = default;
  virtual ~Twin() = default;
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;
  virtual void exchange() = 0;
  /// The arrays that are exchanged, where they are not the block's own.
  [[nodiscard]] virtual std::vector<double*> fields() const { return {}; }
  /// Where neighbors' arrays can be read: the parts of `exchange` alone, its copies without waiting for anybody, and
  /// its waiting without a copy. Otherwise empty.
  [[nodiscard]] virtual std::function<void()> copies() { return {}; }
  [[nodiscard]] virtual std::function<void()> handshake() { return {}; }
};

struct Row {
  std::string name;
  /// Collective; null where it cannot be done, on all ranks.
  std::unique_ptr<Twin> (*make)(const Block& block);
};

template <typename Method>
std::unique_ptr<Twin> make_twin(const Block& block) {
  return std::make_unique<Method>(block);
}

/// `ddt`: derived types, all messages at once; `persistent`: the same with persistent requests; `neighbor`:
/// MPI_Neighbor_alltoallw.
const std::vector<Row>& datatype_twins();
/// `packed`: a message per side, unpacked when all are there; `packed any` and `packed some`: as they arrive;
/// `packed persistent`; `joined`: a message per rank, unpacked as they arrive, what a rank sends to itself is copied;
/// `joined persistent`.
const std::vector<Row>& packed_twins();
/// `direct`: arrays in shared memory, from which neighbors copy.
const std::vector<Row>& shared_twins();

std::vector<Row> all_twins();

}  // namespace twins
