/// \file exchange_rows.hpp
/// Functions of the exchange_*.cpp files for the table of methods.
#pragma once

#include "exchange.hpp"

namespace solver3d {

ExchangePointer make_adcl(const Grid& grid, std::span<double* const> arrays);
ExchangePointer make_adcl_overlap(const Grid& grid, std::span<double* const> arrays);
ExchangePointer make_adcl_timed(const Grid& grid, std::span<double* const> arrays);
ExchangePointer make_adcl_sums(const Grid& grid, std::span<double* const> arrays);
ExchangePointer make_adcl_sums_timed(const Grid& grid, std::span<double* const> arrays);
ExchangePointer make_fcfs(const Grid& grid, std::span<double* const> arrays);
ExchangePointer make_fcfs_pack(const Grid& grid, std::span<double* const> arrays);
ExchangePointer make_ordered(const Grid& grid, std::span<double* const> arrays);
ExchangePointer make_overlap(const Grid& grid, std::span<double* const> arrays);
ExchangePointer make_neighbor(const Grid& grid, std::span<double* const> arrays);

}  // namespace solver3d
