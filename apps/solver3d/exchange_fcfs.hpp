/// \file exchange_fcfs.hpp
/// Shared by the exchange that waits at once and the one that computes in between.
#pragma once

#include <array>
#include <vector>

#include "exchange.hpp"
#include "faces.hpp"

namespace solver3d {

class Fcfs : public Exchange {
 public:
  Fcfs(const Grid& grid, std::span<double* const> arrays);
  void start(std::size_t index) override;
  void finish(std::size_t index) override;

 private:
  const Grid& grid_;
  FaceTypes types_;
  std::vector<double*> arrays_;
  std::array<MPI_Request, 12> requests_{};
};

}  // namespace solver3d
