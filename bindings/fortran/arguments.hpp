/// \file arguments.hpp
/// Converts Fortran arguments for the library, and handles errors that only this layer can detect.
#pragma once

#include <optional>
#include <utility>

#include "shim.hpp"

namespace adcl::fortran {

/// Texts as C strings.
class Texts {
 public:
  Texts() = default;
  explicit Texts(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (const std::string& text : texts_) {
      pointers_.push_back(text.c_str());
    }
  }
  [[nodiscard]] const char* const* data() const noexcept { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
};

/// Buffer for the elements that a call returns; store() copies them to the caller's array.
template <typename T>
class Results {
 public:
  Results() = default;
  explicit Results(std::vector<void*> destinations)
      : destinations_(std::move(destinations)), values_(destinations_.size()) {}
  [[nodiscard]] T* data() noexcept { return values_.data(); }
  void store() const noexcept {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      *static_cast<T*>(destinations_[i]) = values_[i];
    }
  }

 private:
  std::vector<void*> destinations_;
  std::vector<T> values_;
};

/// Stores the results of a successful call, and returns its code.
template <typename... T>
int stored(int code, const Results<T>&... results) noexcept {
  if (code == ADCL_SUCCESS) {
    (results.store(), ...);
  }
  return code;
}

/// Reads the arguments of a call. An invalid argument becomes a null pointer, which the library rejects. In a
/// collective call, all ranks then return the error, so that no rank waits for this rank. The message describes the
/// first invalid argument.
class Arguments {
 public:
  explicit Arguments(const char* call) : call_(call) {}

  void* data(const CFI_cdesc_t* data, const char* name) {
    return read([&] { return address(data, qualified(name)); });
  }
  void* message(const CFI_cdesc_t* data, const char* name) {
    return read([&] { return message_address(data, qualified(name)); });
  }
  template <typename T>
  std::vector<T> array(const CFI_cdesc_t* array, const char* name, int count) {
    return converted<T, T>(array, name, count, [](const T& element) { return element; });
  }
  template <typename Handle>
  std::vector<Handle> handles(const CFI_cdesc_t* array, const char* name, int count) {
    return converted<Handle, int>(array, name, count, [](const int& element) { return handle<Handle>(&element); });
  }
  std::vector<MPI_Datatype> datatypes(const CFI_cdesc_t* array, const char* name, int count) {
    return converted<MPI_Datatype, MPI_Fint>(array, name, count,
                                             [](const MPI_Fint& element) { return datatype(&element); });
  }
  /// Converts indices that are counted from 1 in Fortran to indices from 0, as the library counts.
  std::vector<int> indices(const CFI_cdesc_t* array, const char* name, int count);
  Texts texts(const CFI_cdesc_t* array, const char* name, int count);
  template <typename T>
  Results<T> results(const CFI_cdesc_t* array, const char* name, int count) {
    return read([&] { return Results<T>(elements(array, count, qualified(name))); });
  }

  /// Returns the result of \p reader, or a null pointer or an empty array if it throws Error.
  template <typename Reader>
  auto read(const Reader& reader) -> decltype(reader()) {
    try {
      return reader();
    } catch (const Error& error) {
      if (!first_error_) {
        first_error_ = error;
      }
      return {};
    }
  }

  /// Address for a new handle; null after an invalid argument.
  template <typename Handle>
  Handle* null_if_invalid(Result<Handle>& result) noexcept {
    return first_error_ ? nullptr : result.pointer();
  }

  /// "CALL: NAME", the beginning of messages.
  [[nodiscard]] std::string qualified(const char* name) const { return call_ + (": " + std::string(name)); }

  /// Returns \p code, a result of the library. After an invalid argument, throws Error with \p code and its message.
  [[nodiscard]] int verdict(int code) const {
    if (first_error_) {
      throw Error(code == ADCL_SUCCESS ? first_error_->code() : code, first_error_->what());
    }
    return code;
  }

 private:
  template <typename Value, typename Element, typename Convert>
  std::vector<Value> converted(const CFI_cdesc_t* array, const char* name, int count, const Convert& convert) {
    std::vector<Value> values;
    for (const void* element : read([&] { return elements(array, count, qualified(name)); })) {
      values.push_back(convert(*static_cast<const Element*>(element)));
    }
    return values;
  }

  std::string call_;
  std::optional<Error> first_error_;
};

/// Like call(ierror, body); \p body receives the Arguments of the call \p name.
template <typename Body>
void call(const char* name, int* ierror, const Body& body) noexcept {
  call(ierror, [&] {
    Arguments given(name);
    return given.verdict(body(given));
  });
}

/// Attribute values. Takes the whole array, because only the library knows the number of attributes. data() is null for
/// an empty array and for functions without attributes, for which Fortran callers must also pass an array.
class AttributeValues {
 public:
  AttributeValues(const int* attrset, const CFI_cdesc_t* values);
  [[nodiscard]] const int* data() const noexcept { return data_; }

 private:
  std::vector<int> copy_;
  const int* data_ = nullptr;
};

/// Size of a communicator and rank of this process; 0 processes for MPI_COMM_NULL.
struct Processes {
  explicit Processes(const MPI_Fint* comm);
  [[nodiscard]] int size_at(int root) const noexcept { return rank == root ? size : 0; }
  [[nodiscard]] int size_unless_in_place(const void* buffer) const noexcept {
    return buffer == MPI_IN_PLACE ? 0 : size;
  }
  int size = 0;
  int rank = -1;
};

/// Sum of the positive counts.
int total(const std::vector<int>& counts) noexcept;

}  // namespace adcl::fortran
