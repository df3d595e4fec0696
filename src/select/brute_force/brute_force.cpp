/// Brute force: runs every candidate n_m times in a row, then agrees once. The lowest time wins, the first in the table
/// among equals. Source: paper section II-A, thesis section 3.3.2.
#include <utility>

#include "select/batch_search.hpp"

namespace adcl::select {

namespace {

class BruteForce final : public BatchSearch {
 public:
  using BatchSearch::BatchSearch;

 private:
  void advance() override {
    std::vector<int> rest = unmeasured();
    if (rest.empty()) {
      conclude("");
    } else {
      measure(rest);
    }
  }
};

std::unique_ptr<Search> make_brute_force(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                         const Parameters& parameters) {
  auto search = std::make_unique<BruteForce>(std::move(candidates), attributes, parameters);
  search->begin();
  return search;
}

}  // namespace

Logic brute_force() {
  return {"brute_force",
          "measures every codelet",
          "paper section II-A, thesis section 3.3.2",
          {measurements_option()},
          make_brute_force};
}

}  // namespace adcl::select
