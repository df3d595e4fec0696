/// \file views.hpp
/// Views with the members of std::mdspan and of Kokkos::View that adcl.hpp uses.
#pragma once

#include <array>
#include <cstddef>

namespace views {

/// Like std::mdspan<T, std::dextents<int, N>, std::layout_stride>: `rank()`, `data_handle()`, signed extents.
template <typename T, std::size_t N>
class Mdspan {
 public:
  Mdspan(T* data, const std::array<int, N>& extents, const std::array<int, N>& strides)
      : data_(data), extents_(extents), strides_(strides) {}
  [[nodiscard]] static constexpr std::size_t rank() noexcept { return N; }
  [[nodiscard]] constexpr int extent(std::size_t d) const noexcept { return extents_[d]; }
  [[nodiscard]] constexpr int stride(std::size_t d) const noexcept { return strides_[d]; }
  [[nodiscard]] constexpr T* data_handle() const noexcept { return data_; }

 private:
  T* data_;
  std::array<int, N> extents_;
  std::array<int, N> strides_;
};

/// Like Kokkos::View<T***, Kokkos::LayoutStride>: `rank` is a constant, the address is `data()`.
template <typename T, std::size_t N>
class KokkosView {
 public:
  static constexpr std::size_t rank = N;
  KokkosView(T* data, const std::array<std::size_t, N>& extents, const std::array<std::size_t, N>& strides)
      : data_(data), extents_(extents), strides_(strides) {}
  template <typename I>
  [[nodiscard]] constexpr std::size_t extent(const I& d) const noexcept {
    return extents_[static_cast<std::size_t>(d)];
  }
  template <typename I>
  [[nodiscard]] constexpr std::size_t stride(const I& d) const noexcept {
    return strides_[static_cast<std::size_t>(d)];
  }
  [[nodiscard]] constexpr T* data() const noexcept { return data_; }

 private:
  T* data_;
  std::array<std::size_t, N> extents_;
  std::array<std::size_t, N> strides_;
};

}  // namespace views
