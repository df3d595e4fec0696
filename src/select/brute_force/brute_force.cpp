/// Brute force: measures every candidate n_m times in one batch. The lowest time wins; among equals, the first in the
/// table. Source: paper section II-A, thesis section 3.3.2.
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
