/// \file exchange_fcfs.hpp
/// Common base of the exchange that waits immediately and the exchange that overlaps computation.
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
