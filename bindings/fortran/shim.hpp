/// \file shim.hpp
/// Common code of all Fortran entry points: integer handles, texts and arrays from descriptors, errors.
///
/// The entry points adcl_f_* are bound directly to the interfaces of module adcl and of ADCL.inc. Therefore all
/// arguments come by reference, an absent argument is a null pointer, and character and array arguments are Fortran
/// 2018 descriptors. No exception leaves an entry point.
#pragma once

#include <ADCL.h>
#include <ISO_Fortran_binding.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#define ADCL_F_API extern "C" __attribute__((visibility("default")))

namespace adcl::fortran {

/// An error that only this layer can detect. The caller receives the code; ADCL_Last_error() returns the message.
class Error : public std::runtime_error {
 public:
  Error(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Stores the code that \p body returns in \p ierror, if it is present. Converts exceptions to codes.
template <typename Body>
void call(int* ierror, const Body& body) noexcept {
  int code = ADCL_SUCCESS;
  try {
    code = body();
  } catch (const Error& error) {
    code = ADCL_Error_record(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    code = ADCL_Error_record(ADCL_ERR_MEMORY, "out of memory for the copy of an argument");
  } catch (const std::exception& error) {
    code = ADCL_Error_record(ADCL_ERR_INTERNAL, error.what());
  }
  if (ierror != nullptr) {
    *ierror = code;
  }
}

/// Sets an INTENT(OUT) argument, if it is present, to its value after a failed call. Fortran discards its previous
/// value.
template <typename T>
void preset(T* argument, T value = T()) noexcept {
  if (argument != nullptr) {
    *argument = value;
  }
}

template <typename Handle>
Handle handle(const int* value) noexcept {
  return reinterpret_cast<Handle>(static_cast<std::intptr_t>(*value));
}

template <typename Handle>
int integer(Handle handle) noexcept {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
}

/// Calls a `_free` function of the library on a handle that Fortran holds.
template <typename Handle>
int release(int (*free)(Handle*), int* value) noexcept {
  auto object = handle<Handle>(value);
  const int code = free(&object);
  *value = integer(object);
  return code;
}

/// A handle that a call returns in an INTENT(OUT) argument; the null handle if the call fails.
template <typename Handle>
class Result {
 public:
  Result(int* argument, Handle null) noexcept : argument_(argument), handle_(null) {}
  ~Result() { *argument_ = integer(handle_); }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  [[nodiscard]] Handle* pointer() noexcept { return &handle_; }

 private:
  int* argument_;
  Handle handle_;
};

/// A communicator that a call returns; MPI_COMM_NULL if the call fails.
class CommunicatorResult {
 public:
  explicit CommunicatorResult(MPI_Fint* argument) noexcept : argument_(argument) {}
  ~CommunicatorResult() { preset(argument_, MPI_Comm_c2f(comm_)); }
  CommunicatorResult(const CommunicatorResult&) = delete;
  CommunicatorResult& operator=(const CommunicatorResult&) = delete;
  [[nodiscard]] MPI_Comm* pointer() noexcept { return &comm_; }

 private:
  MPI_Fint* argument_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Converts a communicator. Never returns a null pointer, which MPI_Comm_f2c of some libraries returns for an integer
/// that is not a communicator.
MPI_Comm communicator(const MPI_Fint* comm) noexcept;
MPI_Datatype datatype(const MPI_Fint* type) noexcept;
inline MPI_Op operation(const MPI_Fint* op) noexcept { return MPI_Op_f2c(*op); }

/// The text without trailing blanks.
std::string trimmed(const void* characters, std::size_t length);

inline std::string trimmed(const CFI_cdesc_t* text) { return trimmed(text->base_addr, text->elem_len); }

/// Calls \p get(buffer, size) with a buffer for the length of \p text, then pads with blanks. After a failure, \p
/// text is blank. If \p text is absent, \p get receives a null pointer.
template <typename Get>
int fetch_text(const CFI_cdesc_t* text, const Get& get) {
  if (text == nullptr) {
    return get(nullptr, 0);
  }
  std::string buffer(text->elem_len + 1, '\0');
  const int code = get(buffer.data(), static_cast<int>(buffer.size()));
  const std::string value = code == ADCL_SUCCESS ? std::string(buffer.c_str()) : std::string();
  auto* out = static_cast<char*>(text->base_addr);
  for (std::size_t i = 0; i < text->elem_len; ++i) {
    out[i] = i < value.size() ? value[i] : ' ';
  }
  return code;
}

/// Number of elements: 1 for a scalar, -1 for an assumed-size array.
std::ptrdiff_t element_count(const CFI_cdesc_t* array) noexcept;

/// Addresses of the first \p count elements of an array argument in Fortran's element order, with any strides. A scalar
/// is an array of one element. Empty for a negative \p count and for an absent argument. Throws
/// Error(ADCL_ERR_ARGUMENT) if there are fewer than \p count elements. \p name: the argument, for the message.
std::vector<void*> elements(const CFI_cdesc_t* array, int count, const std::string& name);

/// Address of the application's data. Throws Error(ADCL_ERR_ARGUMENT) if the array is not allocated, or is not
/// contiguous (an array section). \p name: the argument, for the message.
void* address(const CFI_cdesc_t* data, const std::string& name);

/// Address of a message buffer: MPI_IN_PLACE for Fortran's MPI_IN_PLACE; null for an array that is not allocated.
/// Throws Error(ADCL_ERR_ARGUMENT) if the array is not contiguous. \p name: the argument, for the message.
void* message_address(const CFI_cdesc_t* data, const std::string& name);

}  // namespace adcl::fortran
