/// \file fortran_section.hpp
/// A choice buffer that Fortran passes as a descriptor (TS 29113), with the layout of GCC and LLVM.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace adcl::interpose {

struct Descriptor {
  struct Dimension {
    std::ptrdiff_t lower_bound;
    std::ptrdiff_t extent;
    std::ptrdiff_t stride;  ///< bytes
  };
  void* base;
  std::size_t element_bytes;
  int version;
  signed char rank;
  signed char other[3];
  Dimension dimensions[15];
};

/// The elements of a descriptor as an array without gaps: the program's own memory, or a copy of an array section.
class Section {
 public:
  explicit Section(const void* descriptor) : descriptor_(*static_cast<const Descriptor*>(descriptor)) {
    if (!is_contiguous()) {
      copy_.resize(descriptor_.element_bytes * elements());
      walk([](std::byte* copy, std::byte* element, std::size_t bytes) { std::memcpy(copy, element, bytes); });
    }
  }

  [[nodiscard]] void* address() { return copy_.empty() ? descriptor_.base : copy_.data(); }

  /// Stores a copy into the program's memory.
  void write_back() {
    if (!copy_.empty()) {
      walk([](std::byte* copy, std::byte* element, std::size_t bytes) { std::memcpy(element, copy, bytes); });
    }
  }

 private:
  [[nodiscard]] std::size_t elements() const {
    std::size_t number = 1;
    for (int i = 0; i < descriptor_.rank; ++i) {
      number *= static_cast<std::size_t>(descriptor_.dimensions[i].extent);
    }
    return number;
  }

  /// The last extent of an array of assumed size is -1.
  [[nodiscard]] bool is_contiguous() const {
    auto bytes = static_cast<std::ptrdiff_t>(descriptor_.element_bytes);
    for (int i = 0; i < descriptor_.rank; ++i) {
      const Descriptor::Dimension& dimension = descriptor_.dimensions[i];
      if (dimension.extent == 0) {
        return true;
      }
      if (dimension.extent > 1 && dimension.stride != bytes) {
        return false;
      }
      bytes *= dimension.extent;
    }
    return true;
  }

  template <typename Visit>
  void walk(const Visit& visit) {
    std::byte* copy = copy_.data();
    std::ptrdiff_t at[15] = {};
    for (std::size_t left = elements(); left > 0; --left) {
      auto* element = static_cast<std::byte*>(descriptor_.base);
      for (int i = 0; i < descriptor_.rank; ++i) {
        element += at[i] * descriptor_.dimensions[i].stride;
      }
      visit(copy, element, descriptor_.element_bytes);
      copy += descriptor_.element_bytes;
      for (int i = 0; i < descriptor_.rank && ++at[i] == descriptor_.dimensions[i].extent; ++i) {
        at[i] = 0;
      }
    }
  }

  const Descriptor& descriptor_;
  std::vector<std::byte> copy_;
};

}  // namespace adcl::interpose
