// ADCL_v1_Attribute_*, _Attrset_*, _Function_*, _Fnctset_*: user-defined codelets.
#include <string>
#include <vector>

#include "capi/guard.hpp"
#include "capi/registry.hpp"
#include "capi/v1/codes.hpp"

using namespace adcl::capi;
using namespace adcl::capi::v1;

namespace {

/// Returns the combinations in one array, as ADCL.h requires; empty if they are invalid.
std::vector<int> in_one_array(ADCL_Attrset attrset, int* const* excluded, int nexcluded) {
  const auto* attributes = registry().attrsets.find(attrset);
  std::vector<int> values;
  for (int n = 0; attributes != nullptr && excluded != nullptr && n < nexcluded; ++n) {
    if (excluded[n] == nullptr) {
      return {};
    }
    values.insert(values.end(), excluded[n], excluded[n] + attributes->size());
  }
  return values;
}

}  // namespace

extern "C" {

int ADCL_v1_Attribute_create(int nvalues, const int* values, char* const* value_names, const char* name,
                             ADCL_Attribute* attr) {
  return v1_code(ADCL_Attribute_create(nvalues, values, value_names, name, attr), ADCL_INVALID_ATTRIBUTE);
}

int ADCL_v1_Attribute_free(ADCL_Attribute* attr) { return v1_code(ADCL_Attribute_free(attr), ADCL_INVALID_ATTRIBUTE); }

int ADCL_v1_Attrset_create(int n, const ADCL_Attribute* attrs, ADCL_Attrset* attrset) {
  return v1_code(ADCL_Attrset_create(n, attrs, attrset), ADCL_INVALID_ATTRIBUTE);
}

int ADCL_v1_Attrset_free(ADCL_Attrset* attrset) { return v1_code(ADCL_Attrset_free(attrset), ADCL_INVALID_ATTRSET); }

int ADCL_v1_Function_create(ADCL_work_fnct_ptr* fn, ADCL_Attrset attrset, const int* values, const char* name,
                            ADCL_Function* func) {
  return v1_code(ADCL_Function_create(fn, attrset, values, name, func), ADCL_INVALID_ATTRSET,
                 fn == nullptr ? ADCL_INVALID_WORK_FUNCTION_PTR : ADCL_INVALID_ARG);
}

int ADCL_v1_Function_create_async(ADCL_work_fnct_ptr* init_fn, ADCL_work_fnct_ptr* wait_fn, ADCL_Attrset attrset,
                                  const int* values, const char* name, ADCL_Function* func) {
  const bool lacks = init_fn == nullptr || wait_fn == nullptr;
  return v1_code(ADCL_Function_create_async(init_fn, wait_fn, attrset, values, name, func), ADCL_INVALID_ATTRSET,
                 lacks ? ADCL_INVALID_WORK_FUNCTION_PTR : ADCL_INVALID_ARG);
}

int ADCL_v1_Function_free(ADCL_Function* func) { return v1_code(ADCL_Function_free(func), ADCL_INVALID_FUNCTION); }

int ADCL_v1_Fnctset_create(int n, const ADCL_Function* funcs, const char* name, ADCL_Fnctset* set) {
  return v1_code(ADCL_Fnctset_create(n, funcs, name, set), ADCL_INVALID_FUNCTION);
}

int ADCL_v1_Fnctset_create_single(ADCL_work_fnct_ptr* init_fn, ADCL_work_fnct_ptr* wait_fn, ADCL_Attrset attrset,
                                  const char* name, int* const* excluded, int nexcluded, ADCL_Fnctset* set) {
  std::vector<int> values;
  const int code = guard("ADCL_Fnctset_create_single", [&] { values = in_one_array(attrset, excluded, nexcluded); });
  if (code != ADCL_SUCCESS) {
    return v1_code(code, ADCL_INVALID_ATTRSET);
  }
  return v1_code(ADCL_Fnctset_create_single(init_fn, wait_fn, attrset, name, values.empty() ? nullptr : values.data(),
                                            nexcluded, set),
                 ADCL_INVALID_ATTRSET, init_fn == nullptr ? ADCL_INVALID_WORK_FUNCTION_PTR : ADCL_INVALID_ARG);
}

int ADCL_v1_Fnctset_free(ADCL_Fnctset* set) { return v1_code(ADCL_Fnctset_free(set), ADCL_INVALID_FNCTSET); }

}  // extern "C"
