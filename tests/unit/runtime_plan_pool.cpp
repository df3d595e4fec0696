// Plans are created once, on demand; a plan that fails is not retried; plans are destroyed in order.
#include "request/plan_pool.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/error.hpp"

namespace adcl::runtime {
namespace {

/// Records the destruction of plans.
class RecordedPlan final : public Plan {
 public:
  RecordedPlan(int number, std::vector<int>& ended) : number_(number), ended_(ended) {}
  ~RecordedPlan() override { ended_.push_back(number_); }
  void start(const Buffers& /*buffers*/) override {}
  bool test() override { return true; }
  void wait() override {}

 private:
  int number_;
  std::vector<int>& ended_;
};

struct Pool {
  std::vector<int> requested;
  std::vector<int> ended;
  PlanPool plans;

  explicit Pool(std::size_t candidates) {
    plans.set_up(candidates, [this](Candidate candidate) -> PlanPointer {
      const int number = static_cast<int>(candidate);
      requested.push_back(number);
      require(number != 1, Code::unsupported, "too many windows");
      return std::make_unique<RecordedPlan>(number, ended);
    });
  }
};

TEST(PlanPool, MakesAPlanOnce) {
  Pool pool(3);
  Plan* const plan = pool.plans.get(Candidate{2});
  EXPECT_NE(plan, nullptr);
  EXPECT_EQ(pool.plans.get(Candidate{2}), plan);
  EXPECT_EQ(pool.requested, std::vector<int>{2});
}

TEST(PlanPool, DoesNotRetryAFailedPlan) {
  Pool pool(3);
  EXPECT_EQ(pool.plans.get(Candidate{1}), nullptr);
  EXPECT_EQ(pool.plans.get(Candidate{1}), nullptr);
  EXPECT_EQ(pool.requested, std::vector<int>{1});
  EXPECT_EQ(pool.plans.failure(Candidate{1}), "too many windows");
  EXPECT_FALSE(pool.plans.can_make(Candidate{1}));
  EXPECT_TRUE(pool.plans.can_make(Candidate{0}));
}

TEST(PlanPool, FreesInOrderOfCandidates) {
  Pool pool(5);
  for (const int number : {4, 0, 3, 2}) {
    pool.plans.get(Candidate{number});
  }
  pool.plans.retire([](Candidate candidate) { return candidate == Candidate{2}; });
  EXPECT_EQ(pool.ended, (std::vector<int>{0, 3, 4}));
  pool.plans.clear();
  EXPECT_EQ(pool.ended, (std::vector<int>{0, 3, 4, 2}));
}

TEST(PlanPool, MakesARetiredPlanAgain) {
  Pool pool(1);
  pool.plans.get(Candidate{0});
  pool.plans.retire([](Candidate) { return false; });
  EXPECT_NE(pool.plans.get(Candidate{0}), nullptr);
  EXPECT_EQ(pool.requested, (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace adcl::runtime
