// ADCL_Attribute_*, ADCL_Attrset_*, ADCL_Function_*, ADCL_Fnctset_*: user-defined codelets.
#include <algorithm>

#include "ADCL.h"
#include "capi/objects.hpp"

namespace adcl::capi {
namespace {

/// Returns \p name. Throws Error(argument) if the name of the \p thing is empty or too long.
std::string checked_name(const char *name, const char *thing) {
  require_pointer(name, "name");
  std::string result = name;
  require(!result.empty() && result.size() < ADCL_MAX_NAME, Code::argument, "name has ", result.size(),
          " bytes; the name of a ", thing, " has 1 to ", ADCL_MAX_NAME - 1);
  return result;
}

Attribute attribute_of(int nvalues, const int *values, const char *const *value_names, const char *name) {
  require(nvalues >= 1, Code::argument, "nvalues is ", nvalues, "; an attribute has at least one value");
  require_pointer(values, "values");
  require_pointer(value_names, "value_names");
  require_pointer(name, "name");
  Attribute attribute;
  attribute.name = name;
  for (int i = 0; i < nvalues; ++i) {
    require_pointer(value_names[i], "an entry of value_names");
    require(values[i] >= 0, Code::argument, "values[", i, "] is ", values[i], "; values must be at least 0");
    require(attribute.find(values[i]) == nullptr, Code::argument, "values[", i, "] is ", values[i],
            ", like an earlier entry; the values of an attribute must be distinct");
    attribute.values.push_back({values[i], value_names[i], "", i < (nvalues + 1) / 2 ? 0 : 1});
  }
  return attribute;
}

/// \p attrset may be null only together with \p values.
runtime::Function function_of(runtime::Function::Work start, runtime::Function::Work wait, ADCL_Attrset attrset,
                              const int *values, const char *name) {
  runtime::Function function{start, wait, nullptr, {}, checked_name(name, "function")};
  if (attrset == ADCL_ATTRSET_NULL) {
    require(values == nullptr, Code::argument,
            "values is not null, but attrset is ADCL_ATTRSET_NULL; pass an attribute set");
    return function;
  }
  function.attributes = registry().attrsets.get(attrset, "attrset");
  require_pointer(values, "values");
  for (std::size_t i = 0; i < function.attributes->size(); ++i) {
    const Attribute &attribute = (*function.attributes)[i];
    require(attribute.find(values[i]) != nullptr, Code::argument, "values[", i, "] is ", values[i],
            ", which is not a value of attribute '", attribute.name, "'");
    function.values.push_back(values[i]);
  }
  return function;
}

std::vector<std::vector<int>> exclusions(const AttributeSet &attributes, const int *excluded, int nexcluded) {
  require(nexcluded >= 0, Code::argument, "nexcluded is ", nexcluded, "; it must be at least 0");
  std::vector<std::vector<int>> result;
  for (int n = 0; n < nexcluded; ++n) {
    require_pointer(excluded, "excluded");
    result.emplace_back(excluded, excluded + attributes.size());
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      require(attributes[i].find(excluded[i]) != nullptr, Code::argument, "combination ", n, " of excluded has value ",
              excluded[i], ", which is not a value of attribute '", attributes[i].name, "'");
    }
    excluded += attributes.size();
  }
  return result;
}

/// Copies of the objects behind \p n handles.
template <typename Object, typename Handle>
std::vector<Object> copies(Table<Object, Handle> table, int n, const Handle *handles, const char *argument) {
  require_pointer(handles, argument);
  std::vector<Object> objects;
  for (int i = 0; i < n; ++i) {
    objects.push_back(*(registry().*table).get(handles[i], ("an entry of " + std::string(argument)).c_str()));
  }
  return objects;
}

}  // namespace
}  // namespace adcl::capi

using namespace adcl;
using namespace adcl::capi;

extern "C" {

int ADCL_Attribute_create(int nvalues, const int *values, const char *const *value_names, const char *name,
                          ADCL_Attribute *attr) {
  return create_object(__func__, &Registry::attributes, attr, "attr",
                       [&] { return std::make_shared<Attribute>(attribute_of(nvalues, values, value_names, name)); });
}

int ADCL_Attribute_free(ADCL_Attribute *attr) { return free_object(__func__, &Registry::attributes, attr, "attr"); }

int ADCL_Attrset_create(int n, const ADCL_Attribute *attrs, ADCL_Attrset *attrset) {
  return create_object(__func__, &Registry::attrsets, attrset, "attrset", [&] {
    require(n >= 1, Code::argument, "n is ", n, "; an attribute set has at least one attribute");
    return std::make_shared<AttributeSet>(copies(&Registry::attributes, n, attrs, "attrs"));
  });
}

int ADCL_Attrset_free(ADCL_Attrset *attrset) { return free_object(__func__, &Registry::attrsets, attrset, "attrset"); }

int ADCL_Function_create(ADCL_work_fnct_ptr *fn, ADCL_Attrset attrset, const int *values, const char *name,
                         ADCL_Function *func) {
  return create_object(__func__, &Registry::functions, func, "func", [&] {
    require_pointer(fn, "fn");
    return std::make_shared<runtime::Function>(function_of(fn, nullptr, attrset, values, name));
  });
}

int ADCL_Function_create_async(ADCL_work_fnct_ptr *init_fn, ADCL_work_fnct_ptr *wait_fn, ADCL_Attrset attrset,
                               const int *values, const char *name, ADCL_Function *func) {
  return create_object(__func__, &Registry::functions, func, "func", [&] {
    require(init_fn != nullptr && wait_fn != nullptr, Code::argument,
            "init_fn or wait_fn is a null pointer; for a codelet with one function, call ADCL_Function_create");
    return std::make_shared<runtime::Function>(function_of(init_fn, wait_fn, attrset, values, name));
  });
}

int ADCL_Function_free(ADCL_Function *func) { return free_object(__func__, &Registry::functions, func, "func"); }

int ADCL_Fnctset_create(int n, const ADCL_Function *funcs, const char *name, ADCL_Fnctset *set) {
  return create_object(__func__, &Registry::fnctsets, set, "set", [&] {
    require(n >= 1, Code::argument, "n is ", n, "; a function set has at least one function");
    auto functions = copies(&Registry::functions, n, funcs, "funcs");
    return runtime::function_set(std::move(functions), checked_name(name, "function set"));
  });
}

int ADCL_Fnctset_create_single(ADCL_work_fnct_ptr *init_fn, ADCL_work_fnct_ptr *wait_fn, ADCL_Attrset attrset,
                               const char *name, const int *excluded, int nexcluded, ADCL_Fnctset *set) {
  return create_object(__func__, &Registry::fnctsets, set, "set", [&] {
    require_pointer(init_fn, "init_fn");
    const auto attributes = registry().attrsets.get(attrset, "attrset");
    return runtime::single_function_set(init_fn, wait_fn, attributes, checked_name(name, "function set"),
                                        exclusions(*attributes, excluded, nexcluded));
  });
}

int ADCL_Fnctset_set_sharing(ADCL_Fnctset set, int sharing) {
  return guard_initialized(__func__, [&] {
    const auto object = registry().fnctsets.get(set, "set");
    require(!object->predefined(), Code::argument,
            "set is predefined; for predefined sets, ADCL_MERGE_REQUESTS determines whether requests share searches");
    require(sharing == 0 || sharing == 1, Code::argument, "sharing is ", sharing, "; pass 0 or 1");
    object->sharing = sharing == 1;
  });
}

int ADCL_Fnctset_set_similarity(ADCL_Fnctset set, ADCL_similarity_fnct_ptr *fn) {
  return guard_initialized(__func__, [&] { registry().fnctsets.get(set, "set")->similarity = fn; });
}

int ADCL_Fnctset_free(ADCL_Fnctset *set) { return free_object(__func__, &Registry::fnctsets, set, "set"); }

}  // extern "C"
