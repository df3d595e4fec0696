/// \file data_path.hpp
/// Runs the codelets of a search on the program's data. A codelet moves contiguous bytes, or combines numbers in a
/// reduction; each rank converts its own layout.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "interpose/packing.hpp"
#include "interpose/path.hpp"
#include "options/options.hpp"
#include "request/request.hpp"
#include "tuner/indices.hpp"

namespace adcl::interpose {

/// The settled problem of a key. Collective over \p context; throws the same error on all ranks.
std::unique_ptr<Problem> problem_of(const Key& key, const std::shared_ptr<mpi::Context>& context);
/// The codelets of an operation.
const FunctionSet& set_of(Operation operation);

/// The arrays of a codelet: the program's arrays, or memory with copied or packed data.
struct Arrays {
  const void* send = nullptr;
  void* receive = nullptr;
};

/// The request of one search, with memory for copied or packed data.
class DataPath final : public Path {
 public:
  /// Without a request, for prepare() and finish(). Local.
  DataPath(const Key& key, std::shared_ptr<mpi::Context> context);
  /// Allocates the memory for copied or packed data. Local; may throw. For an object without a request.
  void allocate();
  /// Creates the request. Collective over \p context; throws the same error on all ranks.
  DataPath(const Key& key, const std::shared_ptr<mpi::Context>& context,
           const std::shared_ptr<const runtime::Settings>& settings);
  /// Whether the datatypes are committed. Otherwise the MPI library's call reports the error. Local.
  [[nodiscard]] bool accepts(const CollectiveCall& call) const override;
  void run(const CollectiveCall& call) override;
  void rehearse(const CollectiveCall& call) override;
  /// Returns the arrays with which a codelet is started, and packs the input if necessary. Throws Error.
  Arrays prepare(const CollectiveCall& call);
  /// Unpacks the output after the codelet, if necessary. Throws Error.
  void finish(const CollectiveCall& call, const Arrays& arrays) const;
  [[nodiscard]] bool has_winner() const override;
  [[nodiscard]] std::string winner() const override;
  [[nodiscard]] bool prefers_native() const override;
  [[nodiscard]] std::vector<Guideline> broken_guidelines() const override;
  void fix_winner() override;
  bool fix(const std::string& name) override;
  [[nodiscard]] bool runs_winner() const override;
  void reject(double native_s, const std::string& reason) override;
  bool change_after(double /*speedup*/) override { return false; }
  [[nodiscard]] mpi::Context& context() const noexcept override { return *context_; }

 private:
  [[nodiscard]] std::string name_of(runtime::ModeCandidate candidate) const;
  const void* input(const CollectiveCall& call);
  const void* input_in_place(const CollectiveCall& call);
  [[nodiscard]] bool is_bcast_root() const {
    return key_.operation == Operation::bcast && context_->rank() == key_.root;
  }
  [[nodiscard]] std::int64_t received_entries(const CollectiveCall& call) const {
    return call.receive.count * (receive_bytes_ / key_.bytes);
  }

  Key key_;
  std::shared_ptr<mpi::Context> context_;
  Packing packing_;
  std::shared_ptr<runtime::Request> request_;
  std::int64_t send_bytes_ = 0;     ///< size of this rank's input
  std::int64_t receive_bytes_ = 0;  ///< size of this rank's output
  std::string fixed_;               ///< the only candidate that runs; empty: the request decides
  // Allocated at creation, where the ranks agree on a failure. Pages are not used before the first copy.
  std::unique_ptr<std::byte[]> input_;   ///< copy of the input, if it is not contiguous or in place
  std::unique_ptr<std::byte[]> output_;  ///< output, if it is not contiguous
};

}  // namespace adcl::interpose
