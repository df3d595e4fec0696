/// \file path.hpp
/// The candidates of a search, as the search sees them.
#pragma once

#include <memory>
#include <string>

#include "interpose/key.hpp"
#include "mpi/context.hpp"

namespace adcl::interpose {

class Communicator;

/// Runs candidates on the program's data. Stores no addresses of the program.
class Path {
 public:
  Path() = default;
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;
  /// Collective.
  virtual ~Path() = default;

  /// Runs the next candidate, or the winner. \p call has only significant arguments. Throws Error.
  virtual void run(const CollectiveCall& call) = 0;

  /// Whether the search has a winner, or a provisional winner, which only a long program would compare further. The
  /// same on all ranks.
  [[nodiscard]] virtual bool has_winner() const = 0;
  /// Name of the best candidate.
  [[nodiscard]] virtual std::string winner() const = 0;
  /// Whether the best candidate is the MPI library's own call.
  [[nodiscard]] virtual bool prefers_native() const = 0;
  /// Runs only the best candidate from now on. All ranks call it between the same two runs.
  virtual void fix_winner() = 0;
  /// Receives the agreed speedup of the candidate that the last pairs compared with the MPI library's call. Returns
  /// whether run() runs another candidate from now on, which new pairs must compare.
  virtual bool change_after(double speedup) = 0;
  [[nodiscard]] virtual mpi::Context& context() const noexcept = 0;
};

/// Creates the candidates for a key. Collective over the communicator; throws the same error on all ranks.
std::unique_ptr<Path> make_path(const Key& key, Communicator& home);

}  // namespace adcl::interpose
