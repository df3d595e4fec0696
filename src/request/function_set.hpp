/// \file function_set.hpp
/// Function sets: those of the library, and those made of functions of the application's own.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/attribute.hpp"
#include "core/codelet.hpp"
#include "history/similar.hpp"

struct ADCL_Request_s;

namespace adcl::runtime {

/// A codelet written by the user: C functions that are given the request's handle.
struct Function {
  using Work = void (*)(ADCL_Request_s* request);
  Work start = nullptr;
  Work wait = nullptr;  ///< null: start does everything
  std::shared_ptr<const AttributeSet> attributes;
  std::vector<int> values;
  std::string name;
};

/// A function set and, for sets of the user's own, the functions behind its rows.
struct FunctionSetObject {
  FunctionSet set;
  std::vector<Function> functions;    ///< empty for predefined sets
  std::vector<std::string> siblings;  ///< names of all predefined sets, of one of them
  /// Requests of the set with the same shape of data share a search. What functions of the application's own do may
  /// depend on what the library cannot see: theirs only when it says so.
  std::atomic<bool> sharing{false};
  /// How far problems are apart in a history, as ADCL_similarity_fnct_ptr; null: as the library says.
  using Distance = double (*)(int n, const char* const* names, const double* here, const double* there);
  std::atomic<Distance> similarity{nullptr};

  [[nodiscard]] bool predefined() const noexcept { return functions.empty(); }
};

/// Everything that must be the same of a set's codelets on all ranks, in their order.
std::uint64_t codelets_hash(const FunctionSetObject& object);

/// The application's own distance; null where it has none.
history::Similarity similarity_of(const FunctionSetObject& object);

/// Every combination of attribute values but the excluded ones, as functions that share \p start and \p wait.
std::shared_ptr<FunctionSetObject> single_function_set(Function::Work start, Function::Work wait,
                                                       const std::shared_ptr<const AttributeSet>& attributes,
                                                       const std::string& name,
                                                       const std::vector<std::vector<int>>& excluded);

/// Functions of the same functionality. Throws Error(argument) when they do not fit together.
std::shared_ptr<FunctionSetObject> function_set(std::vector<Function> functions, const std::string& name);

}  // namespace adcl::runtime
