/// \file data_path.hpp
/// Runs the codelets of a search on the program's data. A codelet moves contiguous bytes, or combines numbers in a
/// reduction; each rank converts its own layout.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "interpose/key.hpp"
#include "mpi/context.hpp"
#include "options/options.hpp"
#include "request/request.hpp"
#include "tuner/indices.hpp"

namespace adcl::interpose {

/// The request of one search, with memory for copied or packed data. Stores no addresses of the program.
class DataPath {
 public:
  /// Creates the request. Collective over \p context; throws the same error on all ranks.
  DataPath(const Key& key, const std::shared_ptr<mpi::Context>& context,
           const std::shared_ptr<const runtime::Settings>& settings);
  /// Collective.
  ~DataPath();
  DataPath(const DataPath&) = delete;
  DataPath& operator=(const DataPath&) = delete;

  /// Whether the datatypes are committed. Otherwise the MPI library's call reports the error. Local.
  [[nodiscard]] bool accepts(const CollectiveCall& call) const;
  /// Runs the next codelet of the search. \p call has only significant arguments. Throws Error.
  void run(const CollectiveCall& call);

  /// Whether the search has a winner, or a provisional winner, which only a long program would compare further. The
  /// same on all ranks.
  [[nodiscard]] bool has_winner() const;
  /// Name of the best candidate.
  [[nodiscard]] std::string winner() const;
  /// Whether the best candidate is the MPI library's own call.
  [[nodiscard]] bool prefers_native() const;
  /// Runs only the best candidate from now on. All ranks call it between the same two runs.
  void fix_winner();
  /// Runs only the candidate \p name, which has_winner() and winner() then return. Returns false if there is no such
  /// candidate. The same on all ranks; called before the first run. Collective.
  bool fix(const std::string& name);
  /// Whether the last run used winner(). The request runs another candidate if the winner's plan cannot be created.
  [[nodiscard]] bool runs_winner() const;
  [[nodiscard]] mpi::Context& context() const noexcept { return *context_; }

 private:
  [[nodiscard]] std::string name_of(runtime::ModeCandidate candidate) const;
  const void* input(const CollectiveCall& call);
  const void* input_in_place(const CollectiveCall& call);
  void pack(const void* from, std::int64_t count, MPI_Datatype type, std::byte* into, std::int64_t bytes) const;

  Key key_;
  std::shared_ptr<mpi::Context> context_;
  std::shared_ptr<runtime::Request> request_;
  std::int64_t send_bytes_ = 0;     ///< size of this rank's input
  std::int64_t receive_bytes_ = 0;  ///< size of this rank's output
  std::string fixed_;               ///< the only candidate that runs; empty: the request decides
  // Allocated at creation, where the ranks agree on a failure. Pages are not used before the first copy.
  std::unique_ptr<std::byte[]> input_;   ///< copy of the input, if it is not contiguous or in place
  std::unique_ptr<std::byte[]> output_;  ///< output, if it is not contiguous
};

}  // namespace adcl::interpose
