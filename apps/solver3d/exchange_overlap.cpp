/// Starts all receives and sends at once; the matrix-vector product inside the block overlaps them.
#include "exchange_fcfs.hpp"
#include "exchange_rows.hpp"

namespace solver3d {
namespace {

class Overlap final : public Fcfs {
 public:
  using Fcfs::Fcfs;
  [[nodiscard]] bool overlaps() const override { return true; }
};

}  // namespace

ExchangePointer make_overlap(const Grid& grid, std::span<double* const> arrays) {
  return std::make_unique<Overlap>(grid, arrays);
}

}  // namespace solver3d
