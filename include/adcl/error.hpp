/** \file error.hpp
 *  Errors of the C++ interface: exceptions with the library's message, or std::error_code. */
#ifndef ADCL_ERROR_HPP
#define ADCL_ERROR_HPP

#include <ADCL.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>

namespace adcl {

/** The codes of ADCL.h. */
enum class Errc {
  argument = ADCL_ERR_ARGUMENT,
  handle = ADCL_ERR_HANDLE,
  type = ADCL_ERR_TYPE,
  state = ADCL_ERR_STATE,
  mismatch = ADCL_ERR_MISMATCH,
  option = ADCL_ERR_OPTION,
  memory = ADCL_ERR_MEMORY,
  mpi = ADCL_ERR_MPI,
  unsupported = ADCL_ERR_UNSUPPORTED,
  not_initialized = ADCL_ERR_NOT_INITIALIZED,
  file = ADCL_ERR_FILE,
  no_codelet = ADCL_ERR_NO_CODELET,
  internal = ADCL_ERR_INTERNAL,
  callback = ADCL_ERR_CALLBACK
};

/** The category "adcl" of error codes; its messages are those of ADCL_Error_string. */
inline const std::error_category& category() noexcept {
  class Category final : public std::error_category {
   public:
    [[nodiscard]] const char* name() const noexcept override { return "adcl"; }
    [[nodiscard]] std::string message(int code) const override { return ADCL_Error_string(code); }
  };
  static const Category instance;
  return instance;
}

inline std::error_code make_error_code(Errc code) noexcept { return {static_cast<int>(code), category()}; }

/** Message of the last failed call of this thread: the call, the argument, its value and the remedy. */
inline std::string last_error() { return ADCL_Last_error(); }

/** A failed call. what() is the library's message. */
class Error : public std::runtime_error {
 public:
  Error(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] Errc code() const noexcept { return static_cast<Errc>(code_); }
  [[nodiscard]] std::error_code error_code() const noexcept { return {code_, category()}; }

 private:
  int code_;
};

/** How a function reports an error: it throws adcl::Error (default), or stores the code in a std::error_code, which it
 *  clears if it succeeds. Without exceptions (-fno-exceptions), the default writes the message and calls abort(). */
class OnError {
 public:
  constexpr OnError() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor): callers pass the error code itself.
  constexpr OnError(std::error_code& code) noexcept : code_(&code) {}

  /** Reports a result code of ADCL.h with the thread's last message. Returns whether it is ADCL_SUCCESS. */
  bool operator()(int code) const {
    if (code_ != nullptr) {
      *code_ = code == ADCL_SUCCESS ? std::error_code() : std::error_code(code, category());
    } else if (code != ADCL_SUCCESS) [[unlikely]] {
      raise(code);
    }
    return code == ADCL_SUCCESS;
  }

 private:
  [[noreturn]] static void raise(int code) {
#if defined(__cpp_exceptions)
    throw Error(code, last_error());
#else
    std::fprintf(stderr, "%s: %s\n", ADCL_Error_string(code), ADCL_Last_error());
    std::abort();
#endif
  }

  std::error_code* code_ = nullptr;
};

}  // namespace adcl

/** \cond INTERNAL */
template <>
struct std::is_error_code_enum<adcl::Errc> : std::true_type {};
/** \endcond */

#endif
