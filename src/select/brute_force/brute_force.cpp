/// Brute force: runs every candidate n_m times in a row, then agrees once. The lowest time wins, the first in the table
/// among equals. Source: paper section II-A, thesis section 3.3.2.
#include "select/batch_search.hpp"

namespace adcl::select {

namespace {

class BruteForce final : public BatchSearch {
 public:
  using BatchSearch::BatchSearch;

 private:
  void advance() override { measure_or_conclude(unmeasured(), ""); }
};

}  // namespace

Logic brute_force() {
  return {"brute_force",
          "measures every codelet",
          "paper section II-A, thesis section 3.3.2",
          {measurements_option()},
          make_search<BruteForce>};
}

}  // namespace adcl::select
