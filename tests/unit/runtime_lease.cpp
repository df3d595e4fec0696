// The number of starts that run on a lease, and the counts of starts.
#include "tuner/lease.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace adcl::runtime {
namespace {

/// Models a request: it holds the lease that the last call returned.
struct Holder {
  std::shared_ptr<LeaseCounter> counter;

  /// Returns true if the start ran on the lease.
  bool start() { return counter != nullptr && --counter->left >= 0; }
};

TEST(Lease, RequestConsultsAfterTheGrantedStarts) {
  Lease lease;
  lease.open();
  Holder request{lease.counter()};
  lease.grant(3);
  EXPECT_TRUE(request.start() && request.start() && request.start());
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.starts(), 3);
  EXPECT_EQ(lease.production(), 3);
}

TEST(Lease, NegativeCounterAddsNoStarts) {
  Lease lease;
  lease.open();
  Holder request{lease.counter()};
  lease.grant(1);
  EXPECT_TRUE(request.start());
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.counter()->left, -1);
  EXPECT_EQ(lease.end_grant(), 0);
  lease.count_start();
  EXPECT_EQ(lease.starts(), 2);
  EXPECT_EQ(lease.production(), 1);
}

TEST(Lease, TwoRequestsShareTheGrantedStarts) {
  Lease lease;
  lease.renew();
  Holder first{lease.counter()};
  Holder second{lease.counter()};
  lease.grant(4);
  EXPECT_TRUE(first.start() && second.start() && second.start() && first.start());
  EXPECT_FALSE(second.start());
  EXPECT_EQ(lease.end_grant(), 0);
  EXPECT_EQ(lease.starts(), 4);
}

TEST(Lease, EndGrantReturnsUnusedStarts) {
  Lease lease;
  lease.open();
  Holder request{lease.counter()};
  lease.grant(10);
  EXPECT_TRUE(request.start());
  EXPECT_EQ(lease.end_grant(), 9);
  EXPECT_EQ(lease.end_grant(), 0);
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.starts(), 1);
  EXPECT_EQ(lease.production(), 1);
}

TEST(Lease, NewGrantCountsUsedStarts) {
  Lease lease;
  lease.open();
  Holder request{lease.counter()};
  lease.grant(10);
  EXPECT_TRUE(request.start());
  lease.grant(2);
  EXPECT_TRUE(request.start() && request.start());
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.starts(), 3);
}

TEST(Lease, RevokedCounterStaysZero) {
  Lease lease;
  lease.renew();
  Holder request{lease.counter()};
  lease.grant(5);
  EXPECT_TRUE(request.start());
  lease.revoke();
  EXPECT_EQ(request.counter->left, 0);
  EXPECT_EQ(lease.counter(), nullptr);
  lease.renew();
  lease.grant(100);
  EXPECT_EQ(request.counter->left, 0);
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.starts(), 1);
}

TEST(Lease, GrantsNothingWithoutALease) {
  Lease lease;
  lease.grant(5);
  EXPECT_EQ(lease.end_grant(), 0);
  lease.open();
  EXPECT_EQ(lease.counter()->left, 0);
  EXPECT_EQ(lease.starts(), 0);
}

TEST(Lease, OpenKeepsTheCounter) {
  Lease lease;
  lease.open();
  const auto counter = lease.counter();
  lease.open();
  EXPECT_EQ(lease.counter(), counter);
  lease.renew();
  EXPECT_NE(lease.counter(), counter);
}

TEST(Lease, ConsultAlwaysEndsTheGrantAtEachStart) {
  Lease lease;
  lease.renew();
  Holder request{lease.counter()};
  lease.grant(2, true);
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.end_grant(), 2);
  lease.count_start();
  lease.count_production();
  lease.grant(1, true);
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.end_grant(), 1);
  EXPECT_EQ(lease.end_grant(), 0);
  EXPECT_EQ(lease.starts(), 1);
  EXPECT_EQ(lease.production(), 1);
}

}  // namespace
}  // namespace adcl::runtime
