// The number of starts that run on a lease, and the counts of starts.
#include "tuner/lease.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace adcl::runtime {
namespace {

/// Models a request: it holds the lease that the last call returned.
struct Holder {
  std::shared_ptr<Licence> licence;

  /// Returns true if the start ran on the lease.
  bool start() { return licence != nullptr && --licence->left >= 0; }
};

TEST(Lease, ARequestAsksAfterTheGrantedStarts) {
  Lease lease;
  lease.open();
  Holder request{lease.licence()};
  lease.grant(3);
  EXPECT_TRUE(request.start() && request.start() && request.start());
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.starts(), 3);
  EXPECT_EQ(lease.production(), 3);
}

TEST(Lease, BelowZeroCountsNoStart) {
  Lease lease;
  lease.open();
  Holder request{lease.licence()};
  lease.grant(1);
  EXPECT_TRUE(request.start());
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.licence()->left, -1);
  EXPECT_EQ(lease.settle(), 0);
  lease.count_start();
  EXPECT_EQ(lease.starts(), 2);
  EXPECT_EQ(lease.production(), 1);
}

TEST(Lease, TwoRequestsShareTheGrantedStarts) {
  Lease lease;
  lease.renew();
  Holder first{lease.licence()};
  Holder second{lease.licence()};
  lease.grant(4);
  EXPECT_TRUE(first.start() && second.start() && second.start() && first.start());
  EXPECT_FALSE(second.start());
  EXPECT_EQ(lease.settle(), 0);
  EXPECT_EQ(lease.starts(), 4);
}

TEST(Lease, SettlingReturnsWhatIsLeftAndEndsTheGrant) {
  Lease lease;
  lease.open();
  Holder request{lease.licence()};
  lease.grant(10);
  EXPECT_TRUE(request.start());
  EXPECT_EQ(lease.settle(), 9);
  EXPECT_EQ(lease.settle(), 0);
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.starts(), 1);
  EXPECT_EQ(lease.production(), 1);
}

TEST(Lease, GrantingAgainCountsTheStartsBefore) {
  Lease lease;
  lease.open();
  Holder request{lease.licence()};
  lease.grant(10);
  EXPECT_TRUE(request.start());
  lease.grant(2);
  EXPECT_TRUE(request.start() && request.start());
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.starts(), 3);
}

TEST(Lease, ARevokedLicenceStaysZero) {
  Lease lease;
  lease.renew();
  Holder request{lease.licence()};
  lease.grant(5);
  EXPECT_TRUE(request.start());
  lease.revoke();
  EXPECT_EQ(request.licence->left, 0);
  EXPECT_EQ(lease.licence(), nullptr);
  lease.renew();
  lease.grant(100);
  EXPECT_EQ(request.licence->left, 0);
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.starts(), 1);
}

TEST(Lease, WithoutALicenceNothingIsGranted) {
  Lease lease;
  lease.grant(5);
  EXPECT_EQ(lease.settle(), 0);
  lease.open();
  EXPECT_EQ(lease.licence()->left, 0);
  EXPECT_EQ(lease.starts(), 0);
}

TEST(Lease, OpeningKeepsTheLicence) {
  Lease lease;
  lease.open();
  const auto licence = lease.licence();
  lease.open();
  EXPECT_EQ(lease.licence(), licence);
  lease.renew();
  EXPECT_NE(lease.licence(), licence);
}

TEST(Lease, WhereAllStartsAskTheyAreSettledOneByOne) {
  Lease lease;
  lease.renew();
  Holder request{lease.licence()};
  lease.grant(2, true);
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.settle(), 2);
  lease.count_start();
  lease.count_production();
  lease.grant(1, true);
  EXPECT_FALSE(request.start());
  EXPECT_EQ(lease.settle(), 1);
  EXPECT_EQ(lease.settle(), 0);
  EXPECT_EQ(lease.starts(), 1);
  EXPECT_EQ(lease.production(), 1);
}

}  // namespace
}  // namespace adcl::runtime
