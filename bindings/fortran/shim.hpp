/// \file shim.hpp
/// What every Fortran entry point needs: handles as integers, texts and arrays from descriptors, one way to fail.
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

/// A failure that only this layer can see; the caller gets the code, ADCL_Last_error() in Fortran the message.
class Error : public std::runtime_error {
 public:
  Error(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Stores the code that \p body returns in \p ierror, unless the caller left it out. Turns exceptions into codes.
template <typename Body>
void call(int* ierror, const Body& body) noexcept {
  int code = ADCL_SUCCESS;
  try {
    code = body();
  } catch (const Error& error) {
    code = ADCL_Error_record(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    code = ADCL_Error_record(ADCL_ERR_MEMORY, "the Fortran interface could not get memory for a copy of an argument");
  } catch (const std::exception& error) {
    code = ADCL_Error_record(ADCL_ERR_INTERNAL, error.what());
  }
  if (ierror != nullptr) {
    *ierror = code;
  }
}

/// Gives an INTENT(OUT) argument, unless it was left out, the value that it keeps when the call fails: what it held
/// before is lost in Fortran.
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

/// A handle that a call returns in an INTENT(OUT) argument; the null handle when the call fails.
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

/// The same for a communicator.
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

/// Never a null pointer, which MPI_Comm_f2c of some libraries returns for an integer that is no communicator.
MPI_Comm communicator(const MPI_Fint* comm) noexcept;
MPI_Datatype datatype(const MPI_Fint* type) noexcept;
inline MPI_Op operation(const MPI_Fint* op) noexcept { return MPI_Op_f2c(*op); }

/// Characters without trailing blanks.
std::string trimmed(const void* characters, std::size_t length);

inline std::string trimmed(const CFI_cdesc_t* text) { return trimmed(text->base_addr, text->elem_len); }

/// Calls \p get(buffer, size) with room for as many characters as \p text has, then pads with blanks. On failure \p
/// text is blank. Without \p text, \p get gets a null pointer.
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

/// Addresses of the first \p count elements of an array argument in Fortran's element order; a scalar is an array of
/// one element, strides are followed. A negative \p count yields none, and so does an argument that was left out.
/// Throws Error(ADCL_ERR_ARGUMENT) when there are fewer than \p count; \p name is the argument's.
std::vector<void*> elements(const CFI_cdesc_t* array, int count, const std::string& name);

/// Address of the application's data. Throws Error(ADCL_ERR_ARGUMENT) when the array is not allocated or its elements
/// do not follow each other in memory (an array section); \p name is the argument's.
void* address(const CFI_cdesc_t* data, const std::string& name);

/// Address of a message buffer: MPI_IN_PLACE where Fortran's MPI_IN_PLACE was passed; null for an array that is not
/// allocated. Throws Error(ADCL_ERR_ARGUMENT) when its elements do not follow each other in memory; \p name is the
/// argument's.
void* message_address(const CFI_cdesc_t* data, const std::string& name);

}  // namespace adcl::fortran
