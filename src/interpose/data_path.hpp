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
  [[nodiscard]] mpi::Context& context() const noexcept { return *context_; }

 private:
  /// Returns memory for at least \p bytes bytes.
  static std::byte* room(std::vector<std::byte>& memory, std::int64_t bytes);
  const void* input(const CollectiveCall& call);
  const void* input_in_place(const CollectiveCall& call);
  void pack(const void* from, std::int64_t count, MPI_Datatype type, std::byte* into, std::int64_t bytes) const;

  Key key_;
  std::shared_ptr<mpi::Context> context_;
  std::shared_ptr<runtime::Request> request_;
  std::int64_t send_bytes_ = 0;     ///< size of this rank's input
  std::int64_t receive_bytes_ = 0;  ///< size of this rank's output
  std::vector<std::byte> input_;
  std::vector<std::byte> output_;
};

}  // namespace adcl::interpose
