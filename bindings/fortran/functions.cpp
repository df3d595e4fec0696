#include "procedures.hpp"
#include "shim.hpp"

using namespace adcl::fortran;

namespace {

ADCL_work_fnct_ptr* work_function(Address procedure, Caller caller) {
  return procedure == nullptr ? nullptr : as_work_function(procedure, caller);
}

/// Attribute values, whose number only the library knows: the whole argument. Null for an argument without elements,
/// and for functions without attributes, whose Fortran callers must pass something.
class AttributeValues {
 public:
  AttributeValues(const int* attrset, const CFI_cdesc_t* values) {
    if (*attrset == integer(ADCL_ATTRSET_NULL) || element_count(values) == 0) {
      return;
    }
    if (values->rank == 0 || CFI_is_contiguous(values) != 0) {
      data_ = static_cast<const int*>(values->base_addr);
    } else {
      copy_ = gather<int>(values, static_cast<int>(element_count(values)), "values");
      data_ = copy_.data();
    }
  }
  [[nodiscard]] const int* data() const noexcept { return data_; }

 private:
  std::vector<int> copy_;
  const int* data_ = nullptr;
};

}  // namespace

ADCL_F_API void adcl_f_attribute_create(const int* nvalues, const CFI_cdesc_t* values, const CFI_cdesc_t* value_names,
                                        const CFI_cdesc_t* name, int* attr, int* ierror) {
  *attr = integer(ADCL_ATTRIBUTE_NULL);
  call(ierror, [&] {
    const auto numbers = gather<int>(values, *nvalues, "ADCL_Attribute_create: values");
    const auto names = trimmed_entries(value_names, *nvalues, "ADCL_Attribute_create: value_names");
    std::vector<const char*> pointers;
    for (const auto& entry : names) {
      pointers.push_back(entry.c_str());
    }
    ADCL_Attribute created = ADCL_ATTRIBUTE_NULL;
    const int code = ADCL_Attribute_create(*nvalues, numbers.data(), pointers.data(), trimmed(name).c_str(), &created);
    *attr = integer(created);
    return code;
  });
}

ADCL_F_API void adcl_f_attribute_free(int* attr, int* ierror) {
  call(ierror, [&] { return release(ADCL_Attribute_free, attr); });
}

ADCL_F_API void adcl_f_attrset_create(const int* n, const CFI_cdesc_t* attrs, int* attrset, int* ierror) {
  *attrset = integer(ADCL_ATTRSET_NULL);
  call(ierror, [&] {
    const auto attributes = handles<ADCL_Attribute>(attrs, *n, "ADCL_Attrset_create: attrs");
    ADCL_Attrset created = ADCL_ATTRSET_NULL;
    const int code = ADCL_Attrset_create(*n, attributes.data(), &created);
    *attrset = integer(created);
    return code;
  });
}

ADCL_F_API void adcl_f_attrset_free(int* attrset, int* ierror) {
  call(ierror, [&] { return release(ADCL_Attrset_free, attrset); });
}

ADCL_F_API int adcl_f_function_create(Address fn, Caller caller, const int* attrset, const CFI_cdesc_t* values,
                                      const CFI_cdesc_t* name, int* func) {
  *func = integer(ADCL_FUNCTION_NULL);
  return guarded([&] {
    const AttributeValues attribute_values(attrset, values);
    ADCL_Function created = ADCL_FUNCTION_NULL;
    const int code = ADCL_Function_create(work_function(fn, caller), handle<ADCL_Attrset>(attrset),
                                          attribute_values.data(), trimmed(name).c_str(), &created);
    *func = integer(created);
    return code;
  });
}

ADCL_F_API int adcl_f_function_create_async(Address init_fn, Address wait_fn, Caller caller, const int* attrset,
                                            const CFI_cdesc_t* values, const CFI_cdesc_t* name, int* func) {
  *func = integer(ADCL_FUNCTION_NULL);
  return guarded([&] {
    const AttributeValues attribute_values(attrset, values);
    ADCL_Function created = ADCL_FUNCTION_NULL;
    const int code = ADCL_Function_create_async(work_function(init_fn, caller), work_function(wait_fn, caller),
                                                handle<ADCL_Attrset>(attrset), attribute_values.data(),
                                                trimmed(name).c_str(), &created);
    *func = integer(created);
    return code;
  });
}

ADCL_F_API void adcl_f_function_free(int* func, int* ierror) {
  call(ierror, [&] { return release(ADCL_Function_free, func); });
}

ADCL_F_API void adcl_f_fnctset_create(const int* n, const CFI_cdesc_t* funcs, const CFI_cdesc_t* name, int* set,
                                      int* ierror) {
  *set = integer(ADCL_FNCTSET_NULL);
  call(ierror, [&] {
    const auto functions = handles<ADCL_Function>(funcs, *n, "ADCL_Fnctset_create: funcs");
    ADCL_Fnctset created = ADCL_FNCTSET_NULL;
    const int code = ADCL_Fnctset_create(*n, functions.data(), trimmed(name).c_str(), &created);
    *set = integer(created);
    return code;
  });
}

ADCL_F_API int adcl_f_fnctset_create_single(Address init_fn, Address wait_fn, Caller caller, const int* attrset,
                                            const CFI_cdesc_t* name, const CFI_cdesc_t* excluded, const int* nexcluded,
                                            int* set) {
  *set = integer(ADCL_FNCTSET_NULL);
  return guarded([&] {
    const AttributeValues exclusions(attrset, excluded);
    ADCL_Fnctset created = ADCL_FNCTSET_NULL;
    const int code = ADCL_Fnctset_create_single(work_function(init_fn, caller), work_function(wait_fn, caller),
                                                handle<ADCL_Attrset>(attrset), trimmed(name).c_str(), exclusions.data(),
                                                *nexcluded, &created);
    *set = integer(created);
    return code;
  });
}

ADCL_F_API void adcl_f_fnctset_set_sharing(const int* set, const int* sharing, int* ierror) {
  call(ierror, [&] { return ADCL_Fnctset_set_sharing(handle<ADCL_Fnctset>(set), *sharing); });
}

ADCL_F_API void adcl_f_fnctset_set_similarity(const int* set, ADCL_similarity_fnct_ptr* fn, int* ierror) {
  call(ierror, [&] { return ADCL_Fnctset_set_similarity(handle<ADCL_Fnctset>(set), fn); });
}

ADCL_F_API void adcl_f_fnctset_free(int* set, int* ierror) {
  call(ierror, [&] { return release(ADCL_Fnctset_free, set); });
}
