/// \file shim.hpp
/// What every Fortran entry point needs: handles as integers, texts and arrays from descriptors, one way to fail.
///
/// The entry points adcl_f_* are bound directly to the interfaces of module adcl and of ADCL.inc, which is why all
/// arguments come by reference, why an absent `ierror` is a null pointer, and why character and array arguments are
/// Fortran 2018 descriptors. No exception leaves an entry point.
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

/// Keeps exceptions inside. \p body makes the library's calls and returns their code.
template <typename Body>
int guarded(const Body& body) noexcept {
  try {
    return body();
  } catch (const Error& error) {
    return ADCL_Error_record(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return ADCL_Error_record(ADCL_ERR_MEMORY, "the Fortran interface could not get memory for a copy of an argument");
  } catch (const std::exception& error) {
    return ADCL_Error_record(ADCL_ERR_INTERNAL, error.what());
  }
}

/// As guarded(), with the code stored in \p ierror unless the caller left it out.
template <typename Body>
void call(int* ierror, const Body& body) noexcept {
  const int code = guarded(body);
  if (ierror != nullptr) {
    *ierror = code;
  }
}

/// For collective calls: a rank whose arguments cannot be used still takes part, with \p mistaken() handing the library
/// something that it refuses, so that all ranks return the same code. Throws Error with that code and error's message.
template <typename Mistaken>
[[noreturn]] void fail_on_all_ranks(const Error& error, const Mistaken& mistaken) {
  const int code = mistaken();
  throw Error(code == ADCL_SUCCESS ? error.code() : code, error.what());
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

/// Never a null pointer, which MPI_Comm_f2c of some libraries returns for an integer that is no communicator.
MPI_Comm communicator(const MPI_Fint* comm) noexcept;
MPI_Datatype datatype(const MPI_Fint* type) noexcept;

/// A character argument without its trailing blanks.
std::string trimmed(const CFI_cdesc_t* text);

/// The entries of a character array argument without their trailing blanks. Throws Error(ADCL_ERR_ARGUMENT) when there
/// are fewer than \p count; \p name is the argument's.
std::vector<std::string> trimmed_entries(const CFI_cdesc_t* texts, int count, const char* name);

/// Calls \p get(buffer, size) with room for as many characters as \p text has, then pads with blanks. On failure \p
/// text is blank.
template <typename Get>
int fetch_text(const CFI_cdesc_t* text, const Get& get) {
  std::string buffer(text->elem_len + 1, '\0');
  const int code = get(buffer.data(), static_cast<int>(buffer.size()));
  const std::string value = code == ADCL_SUCCESS ? std::string(buffer.c_str()) : std::string();
  auto* out = static_cast<char*>(text->base_addr);
  for (std::size_t i = 0; i < text->elem_len; ++i) {
    out[i] = i < value.size() ? value[i] : ' ';
  }
  return code;
}

/// Number of elements, 1 for a scalar, -1 when the actual argument is an assumed-size array.
std::ptrdiff_t element_count(const CFI_cdesc_t* array) noexcept;

/// Addresses of the first \p count elements of an array argument in Fortran's element order; a scalar is an array of
/// one element, strides are followed. A negative \p count yields none. Throws Error(ADCL_ERR_ARGUMENT) when there are
/// fewer than \p count.
std::vector<void*> elements(const CFI_cdesc_t* array, int count, const char* name);

template <typename T>
std::vector<T> gather(const CFI_cdesc_t* array, int count, const char* name) {
  std::vector<T> values;
  for (const void* element : elements(array, count, name)) {
    values.push_back(*static_cast<const T*>(element));
  }
  return values;
}

/// The same for an array of handles.
template <typename Handle>
std::vector<Handle> handles(const CFI_cdesc_t* values, int count, const char* name) {
  std::vector<Handle> objects;
  for (const int value : gather<int>(values, count, name)) {
    objects.push_back(handle<Handle>(&value));
  }
  return objects;
}

template <typename T>
void scatter(const std::vector<T>& values, const std::vector<void*>& destinations) noexcept {
  for (std::size_t i = 0; i < values.size() && i < destinations.size(); ++i) {
    *static_cast<T*>(destinations[i]) = values[i];
  }
}

/// Address of the application's data. Throws Error(ADCL_ERR_ARGUMENT) when the array is not allocated or its elements
/// do not follow each other in memory (an array section); \p name is the argument's.
void* address(const CFI_cdesc_t* data, const char* name);

/// What an array must be to hold a vector that the library has accepted.
struct Layout {
  Layout(const std::vector<int>& dims, int nc, int order, MPI_Datatype type);

  std::vector<std::ptrdiff_t> shape;  ///< in Fortran's order, nc first unless it is 0
  double bytes = 0.0;                 ///< may exceed every integer; exact wherever arrays fit into memory
  MPI_Aint element_bytes = 0;         ///< extent of the type
};

/// Throws Error(ADCL_ERR_ARGUMENT) when \p data is known to be smaller than \p layout, or to have another shape. The
/// shape is compared where rank and size of the elements are those of the layout; the last dimension may be longer.
/// Other arrays are storage, of which the size alone counts.
void require_room(const CFI_cdesc_t* data, const char* name, const Layout& layout);

}  // namespace adcl::fortran
