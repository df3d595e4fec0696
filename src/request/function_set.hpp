/// \file function_set.hpp
/// Function sets: predefined sets, and sets of user-defined functions.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/attribute.hpp"
#include "core/codelet.hpp"
#include "core/problem.hpp"
#include "data/parts.hpp"
#include "history/similar.hpp"

struct ADCL_Request_s;

namespace adcl::runtime {

/// A codelet written by the user: C functions that receive the request's handle.
struct Function {
  using Work = void (*)(ADCL_Request_s* request);
  Work start = nullptr;
  Work wait = nullptr;  ///< null: start does everything
  std::shared_ptr<const AttributeSet> attributes;
  std::vector<int> values;
  std::string name;
};

/// A function set and, if it is user-defined, the functions behind its rows.
struct FunctionSetObject {
  FunctionSet set;
  std::vector<Function> functions;    ///< empty for predefined sets
  std::vector<std::string> siblings;  ///< names of all predefined sets; empty for user-defined sets
  /// Requests of the set with the same shape of data share a search. User-defined functions may depend on data that the
  /// library cannot see, so their requests share a search only if the application allows it.
  std::atomic<bool> sharing{false};
  /// Distance between problems in a history (ADCL_similarity_fnct_ptr); null: the library's distance.
  using Distance = double (*)(int n, const char* const* names, const double* here, const double* there);
  std::atomic<Distance> similarity{nullptr};

  [[nodiscard]] bool predefined() const noexcept { return functions.empty(); }
};

/// Hash of everything about the codelets, in their order, that must be the same on all ranks.
std::uint64_t codelets_hash(const FunctionSetObject& object);

/// The application's distance function; null if it has none.
history::Similarity similarity_of(const FunctionSetObject& object);

/// The problem of a request with the user-defined \p set: the properties that the library knows. Local, after the first
/// Context::machine().
std::unique_ptr<Problem> user_problem(const FunctionSet& set, const data::Parts& parts, mpi::Context& context);

/// One function for each combination of attribute values except the excluded ones; all share \p start and \p wait.
std::shared_ptr<FunctionSetObject> single_function_set(Function::Work start, Function::Work wait,
                                                       const std::shared_ptr<const AttributeSet>& attributes,
                                                       const std::string& name,
                                                       const std::vector<std::vector<int>>& excluded);

/// Functions with the same functionality. Throws Error(argument) if there are too many, if two have the same name, or
/// if their attribute sets differ.
std::shared_ptr<FunctionSetObject> function_set(std::vector<Function> functions, const std::string& name);

}  // namespace adcl::runtime
