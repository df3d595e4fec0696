// ADCL_Attribute_*, ADCL_Attrset_*, ADCL_Function_*, ADCL_Fnctset_*: user-defined codelets.
#include <algorithm>

#include "ADCL.h"
#include "capi/guard.hpp"
#include "capi/registry.hpp"

namespace adcl::capi {
namespace {

Attribute attribute_of(int nvalues, const int *values, const char *const *value_names, const char *name) {
  require(nvalues >= 1, Code::argument, "nvalues is ", nvalues, "; an attribute has at least one value");
  require_pointer(values, "values");
  require_pointer(static_cast<const void *>(value_names), "value_names");
  require_pointer(name, "name");
  Attribute attribute;
  attribute.name = name;
  for (int i = 0; i < nvalues; ++i) {
    require_pointer(value_names[i], "an entry of value_names");
    require(values[i] >= 0, Code::argument, "values[", i, "] is ", values[i], "; values must be at least 0");
    require(attribute.find(values[i]) == nullptr, Code::argument, "values[", i, "] is ", values[i],
            ", which was given before; the values of an attribute must be distinct");
    attribute.values.push_back({values[i], value_names[i], "", i < (nvalues + 1) / 2 ? 0 : 1});
  }
  return attribute;
}

/// \p attrset may be null only together with \p values.
runtime::Function function_of(runtime::Function::Work start, runtime::Function::Work wait, ADCL_Attrset attrset,
                              const int *values, const char *name) {
  require_pointer(name, "name");
  runtime::Function function{start, wait, nullptr, {}, name};
  require(!function.name.empty() && function.name.size() < ADCL_MAX_NAME, Code::argument,
          "name is empty or longer than ADCL_MAX_NAME; give the function a short name");
  if (attrset == ADCL_ATTRSET_NULL) {
    require(values == nullptr, Code::argument, "values are given without an attribute set");
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

std::string set_name(const char *name) {
  require_pointer(name, "name");
  std::string result = name;
  require(!result.empty() && result.size() < ADCL_MAX_NAME, Code::argument,
          "name is empty or longer than ADCL_MAX_NAME; give the function set a short name");
  return result;
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

}  // namespace
}  // namespace adcl::capi

using namespace adcl::capi;

extern "C" {

int ADCL_Attribute_create(int nvalues, const int *values, const char *const *value_names, const char *name,
                          ADCL_Attribute *attr) {
  return guard("ADCL_Attribute_create", [&] {
    require_initialized();
    require_pointer(static_cast<void *>(attr), "attr");
    auto object = std::make_shared<adcl::Attribute>(attribute_of(nvalues, values, value_names, name));
    *attr = to_handle<ADCL_Attribute>(registry().attributes.insert(std::move(object)));
  });
}

int ADCL_Attribute_free(ADCL_Attribute *attr) {
  return guard("ADCL_Attribute_free", [&] {
    require_initialized();
    require_pointer(static_cast<void *>(attr), "attr");
    registry().attributes.remove(*attr, "attr");
    *attr = ADCL_ATTRIBUTE_NULL;
  });
}

int ADCL_Attrset_create(int n, const ADCL_Attribute *attrs, ADCL_Attrset *attrset) {
  return guard("ADCL_Attrset_create", [&] {
    require_initialized();
    require_pointer(static_cast<void *>(attrset), "attrset");
    adcl::require(n >= 1, adcl::Code::argument, "n is ", n, "; an attribute set has at least one attribute");
    require_pointer(static_cast<const void *>(attrs), "attrs");
    auto object = std::make_shared<adcl::AttributeSet>();
    for (int i = 0; i < n; ++i) {
      object->push_back(*registry().attributes.get(attrs[i], "an entry of attrs"));
    }
    *attrset = to_handle<ADCL_Attrset>(registry().attrsets.insert(std::move(object)));
  });
}

int ADCL_Attrset_free(ADCL_Attrset *attrset) {
  return guard("ADCL_Attrset_free", [&] {
    require_initialized();
    require_pointer(static_cast<void *>(attrset), "attrset");
    registry().attrsets.remove(*attrset, "attrset");
    *attrset = ADCL_ATTRSET_NULL;
  });
}

int ADCL_Function_create(ADCL_work_fnct_ptr *fn, ADCL_Attrset attrset, const int *values, const char *name,
                         ADCL_Function *func) {
  return guard("ADCL_Function_create", [&] {
    require_initialized();
    require_pointer(static_cast<void *>(func), "func");
    adcl::require(fn != nullptr, adcl::Code::argument, "fn is a null pointer");
    auto object = std::make_shared<adcl::runtime::Function>(function_of(fn, nullptr, attrset, values, name));
    *func = to_handle<ADCL_Function>(registry().functions.insert(std::move(object)));
  });
}

int ADCL_Function_create_async(ADCL_work_fnct_ptr *init_fn, ADCL_work_fnct_ptr *wait_fn, ADCL_Attrset attrset,
                               const int *values, const char *name, ADCL_Function *func) {
  return guard("ADCL_Function_create_async", [&] {
    require_initialized();
    require_pointer(static_cast<void *>(func), "func");
    adcl::require(init_fn != nullptr && wait_fn != nullptr, adcl::Code::argument,
                  "init_fn or wait_fn is a null pointer; a codelet in one part is made by ADCL_Function_create");
    auto object = std::make_shared<adcl::runtime::Function>(function_of(init_fn, wait_fn, attrset, values, name));
    *func = to_handle<ADCL_Function>(registry().functions.insert(std::move(object)));
  });
}

int ADCL_Function_free(ADCL_Function *func) {
  return guard("ADCL_Function_free", [&] {
    require_initialized();
    require_pointer(static_cast<void *>(func), "func");
    registry().functions.remove(*func, "func");
    *func = ADCL_FUNCTION_NULL;
  });
}

int ADCL_Fnctset_create(int n, const ADCL_Function *funcs, const char *name, ADCL_Fnctset *set) {
  return guard("ADCL_Fnctset_create", [&] {
    require_initialized();
    require_pointer(static_cast<void *>(set), "set");
    adcl::require(n >= 1, adcl::Code::argument, "n is ", n, "; a function set has at least one function");
    require_pointer(static_cast<const void *>(funcs), "funcs");
    std::vector<adcl::runtime::Function> functions;
    functions.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
      functions.push_back(*registry().functions.get(funcs[i], "an entry of funcs"));
    }
    auto object = adcl::runtime::function_set(std::move(functions), set_name(name));
    *set = to_handle<ADCL_Fnctset>(registry().fnctsets.insert(std::move(object)));
  });
}

int ADCL_Fnctset_create_single(ADCL_work_fnct_ptr *init_fn, ADCL_work_fnct_ptr *wait_fn, ADCL_Attrset attrset,
                               const char *name, const int *excluded, int nexcluded, ADCL_Fnctset *set) {
  return guard("ADCL_Fnctset_create_single", [&] {
    require_initialized();
    require_pointer(static_cast<void *>(set), "set");
    adcl::require(init_fn != nullptr, adcl::Code::argument, "init_fn is a null pointer");
    const auto attributes = registry().attrsets.get(attrset, "attrset");
    auto object = adcl::runtime::single_function_set(init_fn, wait_fn, attributes, set_name(name),
                                                     exclusions(*attributes, excluded, nexcluded));
    *set = to_handle<ADCL_Fnctset>(registry().fnctsets.insert(std::move(object)));
  });
}

int ADCL_Fnctset_set_sharing(ADCL_Fnctset set, int sharing) {
  return guard("ADCL_Fnctset_set_sharing", [&] {
    require_initialized();
    const auto object = registry().fnctsets.get(set, "set");
    adcl::require(!object->predefined(), adcl::Code::argument,
                  "set is predefined; ADCL_MERGE_REQUESTS says whether "
                  "requests of predefined sets share their searches");
    adcl::require(sharing == 0 || sharing == 1, adcl::Code::argument, "sharing is ", sharing, "; pass 0 or 1");
    object->sharing = sharing == 1;
  });
}

int ADCL_Fnctset_set_similarity(ADCL_Fnctset set, ADCL_similarity_fnct_ptr *fn) {
  return guard("ADCL_Fnctset_set_similarity", [&] {
    require_initialized();
    registry().fnctsets.get(set, "set")->similarity = fn;
  });
}

int ADCL_Fnctset_free(ADCL_Fnctset *set) {
  return guard("ADCL_Fnctset_free", [&] {
    require_initialized();
    require_pointer(static_cast<void *>(set), "set");
    registry().fnctsets.remove(*set, "set");
    *set = ADCL_FNCTSET_NULL;
  });
}

}  // extern "C"
