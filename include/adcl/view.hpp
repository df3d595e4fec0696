/** \file view.hpp
 *  Arrays: datatypes of their elements, views of several dimensions, and the concepts of both. */
#ifndef ADCL_VIEW_HPP
#define ADCL_VIEW_HPP

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

#include "error.hpp"

namespace adcl {

/** The MPI datatype of a C++ type. Specialize it for your own types: a static function `get()` returns a committed
 *  datatype. */
template <typename T>
struct Datatype;

#define ADCL_HPP_DATATYPE(type, handle)                     \
  template <>                                               \
  struct Datatype<type> {                                   \
    static MPI_Datatype get() noexcept { return (handle); } \
  }
ADCL_HPP_DATATYPE(char, MPI_CHAR);
ADCL_HPP_DATATYPE(signed char, MPI_SIGNED_CHAR);
ADCL_HPP_DATATYPE(unsigned char, MPI_UNSIGNED_CHAR);
ADCL_HPP_DATATYPE(std::byte, MPI_BYTE);
ADCL_HPP_DATATYPE(bool, MPI_C_BOOL);
ADCL_HPP_DATATYPE(short, MPI_SHORT);
ADCL_HPP_DATATYPE(unsigned short, MPI_UNSIGNED_SHORT);
ADCL_HPP_DATATYPE(int, MPI_INT);
ADCL_HPP_DATATYPE(unsigned, MPI_UNSIGNED);
ADCL_HPP_DATATYPE(long, MPI_LONG);
ADCL_HPP_DATATYPE(unsigned long, MPI_UNSIGNED_LONG);
ADCL_HPP_DATATYPE(long long, MPI_LONG_LONG);
ADCL_HPP_DATATYPE(unsigned long long, MPI_UNSIGNED_LONG_LONG);
ADCL_HPP_DATATYPE(float, MPI_FLOAT);
ADCL_HPP_DATATYPE(double, MPI_DOUBLE);
ADCL_HPP_DATATYPE(long double, MPI_LONG_DOUBLE);
ADCL_HPP_DATATYPE(std::complex<float>, MPI_C_FLOAT_COMPLEX);
ADCL_HPP_DATATYPE(std::complex<double>, MPI_C_DOUBLE_COMPLEX);
ADCL_HPP_DATATYPE(std::complex<long double>, MPI_C_LONG_DOUBLE_COMPLEX);
#undef ADCL_HPP_DATATYPE

template <typename T>
concept HasDatatype = requires {
  { Datatype<std::remove_cv_t<T>>::get() } -> std::convertible_to<MPI_Datatype>;
};

namespace detail {

/** Address of a view's first element. */
template <typename V>
auto data_of(const V& view) {
  if constexpr (requires { view.data_handle(); }) {
    return view.data_handle();
  } else {
    return view.data();
  }
}

/** Number of dimensions of a view type: std::mdspan has a function, Kokkos a constant. */
template <typename V>
consteval std::size_t rank_of() {
  if constexpr (requires { std::integral_constant<std::size_t, V::rank()>(); }) {
    return V::rank();
  } else {
    return V::rank;
  }
}

template <typename V>
using Element = std::remove_pointer_t<decltype(data_of(std::declval<const V&>()))>;

}  // namespace detail

/** An array of several dimensions. stride(i) is the distance of neighbors in dimension i, in elements. */
template <typename V>
concept StridedView = requires(const V& view, std::size_t i) {
  { view.extent(i) } -> std::convertible_to<std::size_t>;
  { view.stride(i) } -> std::convertible_to<std::size_t>;
  requires std::is_pointer_v<decltype(detail::data_of(view))>;
  { detail::rank_of<V>() } -> std::same_as<std::size_t>;
};

/** A contiguous range whose elements are not part of it: a lvalue, or a view such as std::span. */
template <typename R>
concept ContiguousArray = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    std::ranges::borrowed_range<R> && !StridedView<std::remove_cvref_t<R>>;

/** A view of N dimensions, for compilers without std::mdspan. Does not own the elements. */
template <typename T, std::size_t N>
class View {
 public:
  View(T* data, const std::array<std::size_t, N>& extents) : data_(data), extents_(extents) {
    std::size_t stride = 1;
    for (std::size_t d = N; d-- > 0;) {
      strides_[d] = stride;
      stride *= extents[d];
    }
  }
  View(T* data, const std::array<std::size_t, N>& extents, const std::array<std::size_t, N>& strides)
      : data_(data), extents_(extents), strides_(strides) {}

  [[nodiscard]] static constexpr std::size_t rank() noexcept { return N; }
  [[nodiscard]] std::size_t extent(std::size_t d) const noexcept { return extents_[d]; }
  [[nodiscard]] std::size_t stride(std::size_t d) const noexcept { return strides_[d]; }
  [[nodiscard]] T* data_handle() const noexcept { return data_; }

  template <std::integral... I>
  requires(sizeof...(I) == N) [[nodiscard]] T& operator()(I... index) const noexcept {
    std::size_t offset = 0;
    std::size_t d = 0;
    ((offset += static_cast<std::size_t>(index) * strides_[d++]), ...);
    return data_[offset];
  }

 private:
  T* data_;
  std::array<std::size_t, N> extents_;
  std::array<std::size_t, N> strides_{};
};

/** A view of a whole range in C order: `adcl::view(values, nx + 2, ny + 2)`. Errc::argument if the range has another
 *  number of elements. */
template <ContiguousArray R, std::integral... E>
requires(sizeof...(E) > 0) [[nodiscard]] auto view(R&& range, E... extents) {
  using T = std::remove_reference_t<std::ranges::range_reference_t<R>>;
  const std::size_t product = (static_cast<std::size_t>(extents) * ...);
  if (product != std::ranges::size(range)) {
    const std::string message = "adcl::view: the extents have " + std::to_string(product) +
                                " elements, but the range has " + std::to_string(std::ranges::size(range)) +
                                "; pass extents of the whole array";
    OnError()(ADCL_Error_record(ADCL_ERR_ARGUMENT, message.c_str()));
  }
  return View<T, sizeof...(E)>(std::ranges::data(range), {static_cast<std::size_t>(extents)...});
}

}  // namespace adcl

#endif
