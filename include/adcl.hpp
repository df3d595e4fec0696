/** \file adcl.hpp
 *  The C++20 interface of ADCL. It is header only: all functions are inline and call those of ADCL.h.
 *
 *  - Objects own their handles, can be moved but not copied, and free the handle when they are destroyed. Freeing a
 *    request, topology or timer is collective, as in ADCL.h, so destroy them in the same order on all ranks.
 *  - An object that was moved from is empty. A call on it is an error with the code Errc::handle.
 *  - Every function that can fail has OnError as its last parameter. Without it, an error throws adcl::Error; with a
 *    std::error_code, the function stores the code and returns an empty object.
 *  - Arrays are contiguous ranges (std::span, std::vector, std::array) and views with `extent(i)`, `stride(i)`,
 *    `rank()`, and `data_handle()` or `data()`, such as std::mdspan and Kokkos::View in host memory. Neither is
 *    included. Arrays must exist as long as their requests.
 *
 *  The headers of the folder adcl may also be included separately. */
#ifndef ADCL_HPP
#define ADCL_HPP

#include "adcl/collectives.hpp"
#include "adcl/error.hpp"
#include "adcl/halo.hpp"
#include "adcl/library.hpp"
#include "adcl/objects.hpp"
#include "adcl/request.hpp"
#include "adcl/timer.hpp"
#include "adcl/view.hpp"

#endif
