#include <cstring>

#include "shim.hpp"

using namespace adcl::fortran;

ADCL_F_API void adcl_f_init(int* ierror) {
  call(ierror, [] { return ADCL_Init(); });
}

ADCL_F_API void adcl_f_finalize(int* ierror) {
  call(ierror, [] { return ADCL_Finalize(); });
}

ADCL_F_API int adcl_f_initialized(int* flag) {
  preset(flag);
  return guarded([&] { return ADCL_Initialized(flag); });
}

ADCL_F_API void adcl_f_get_version(int* major, int* minor, int* patch, int* ierror) {
  preset(major);
  preset(minor);
  preset(patch);
  call(ierror, [&] { return ADCL_Get_version(major, minor, patch); });
}

ADCL_F_API const char* adcl_f_error_string(const int* code, int* length) {
  const char* description = ADCL_Error_string(*code);
  *length = static_cast<int>(std::strlen(description));
  return description;
}

/// Valid until the next failure in this thread.
ADCL_F_API const char* adcl_f_last_error(int* length) {
  const char* message = ADCL_Last_error();
  *length = static_cast<int>(std::strlen(message));
  return message;
}

ADCL_F_API void adcl_f_option_set(const CFI_cdesc_t* name, const CFI_cdesc_t* value, int* ierror) {
  call(ierror, [&] { return ADCL_Option_set(trimmed(name).c_str(), trimmed(value).c_str()); });
}

ADCL_F_API void adcl_f_option_get(const CFI_cdesc_t* name, const CFI_cdesc_t* value, int* ierror) {
  call(ierror, [&] {
    const std::string option = trimmed(name);
    return fetch_text(value, [&](char* buffer, int size) { return ADCL_Option_get(option.c_str(), buffer, size); });
  });
}
