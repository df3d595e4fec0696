/// \file path.hpp
/// The interface through which a search runs its candidates.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "interpose/guidelines.hpp"
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

  /// Whether run() can use the arguments. Otherwise the MPI library's call reports the error. Local.
  [[nodiscard]] virtual bool accepts(const CollectiveCall& /*call*/) const { return true; }
  /// Runs the next candidate, or the winner. \p call has only significant arguments. Throws Error.
  virtual void run(const CollectiveCall& call) = 0;
  /// Runs the next candidate on the input of \p call, and discards the result. Does not write to the program's memory.
  /// For reductions; other paths throw Error.
  virtual void rehearse(const CollectiveCall& /*call*/) {
    throw Error(Code::internal, "rehearsals support only reductions");
  }

  /// Whether the search has a winner, or a provisional winner, which only a longer program would compare with further
  /// candidates. The same on all ranks.
  [[nodiscard]] virtual bool has_winner() const = 0;
  /// Name of the best candidate.
  [[nodiscard]] virtual std::string winner() const = 0;
  /// Whether the best candidate is the MPI library's own call.
  [[nodiscard]] virtual bool prefers_native() const = 0;
  /// Guidelines that the MPI library breaks, from the measurements of the search so far. Local.
  [[nodiscard]] virtual std::vector<Guideline> broken_guidelines() const { return {}; }
  /// Runs only the best candidate from now on. All ranks call it between the same two runs.
  virtual void fix_winner() = 0;
  /// Selects the candidate \p name without a search: from then on, has_winner() returns true, and winner() returns
  /// \p name. Returns false if there is no such candidate. All ranks pass the same \p name, before the first run.
  /// Collective.
  virtual bool fix(const std::string& name) = 0;
  /// Whether the last run used winner(). Another candidate runs if the winner's plan cannot be created.
  [[nodiscard]] virtual bool runs_winner() const { return true; }
  /// Stores in the history, if there is one, that the MPI library's call wins because of \p reason. \p native_s: time
  /// of the call. Only the destructor may be called afterward. Collective.
  virtual void reject(double /*native_s*/, const std::string& /*reason*/) {}
  /// Receives the agreed speedup of the candidate that the last pairs compared with the MPI library's call. Returns
  /// whether run() runs another candidate from now on, which new pairs must compare.
  virtual bool change_after(double speedup) = 0;
  [[nodiscard]] virtual mpi::Context& context() const noexcept = 0;
};

/// Creates the candidates for a key. Collective over the communicator; throws the same error on all ranks.
std::unique_ptr<Path> make_path(const Key& key, Communicator& home);

}  // namespace adcl::interpose
