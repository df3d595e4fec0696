/// \file twins.hpp
/// Halo exchanges as in typical MPI programs, for comparison with ADCL's codelets. Independent of ADCL. Packed messages
/// contain the data of all fields.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "halo/twins/faces.hpp"

namespace twins {

/// A prepared exchange of the halo of a block.
class Twin {
 public:
  Twin() = default;
  virtual ~Twin() = default;
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;
  virtual void exchange() = 0;
  /// The exchanged arrays, if they are not the block's own; otherwise empty.
  [[nodiscard]] virtual std::vector<double*> fields() const { return {}; }
  /// If neighbors' arrays can be read, the parts of `exchange` alone: its copies without waiting, and its waiting
  /// without copies. Otherwise empty.
  [[nodiscard]] virtual std::function<void()> copies() { return {}; }
  [[nodiscard]] virtual std::function<void()> handshake() { return {}; }
};

struct Row {
  std::string name;
  /// Collective; null on all ranks if the exchange is not possible.
  std::unique_ptr<Twin> (*make)(const Block& block);
};

template <typename Method>
std::unique_ptr<Twin> make_twin(const Block& block) {
  return std::make_unique<Method>(block);
}

/// `ddt`: derived types, all messages at once; `persistent`: the same with persistent requests; `neighbor`:
/// MPI_Neighbor_alltoallw.
const std::vector<Row>& datatype_twins();
/// `packed`: one message per side, unpacked after all have arrived; `packed any` and `packed some`: unpacked as they
/// arrive; `packed persistent`; `joined`: one message per rank, unpacked as they arrive, with local copies of a rank's
/// data for itself; `joined persistent`.
const std::vector<Row>& packed_twins();
/// `direct`: arrays in shared memory, from which neighbors copy.
const std::vector<Row>& shared_twins();

std::vector<Row> all_twins();

}  // namespace twins
