// Elementary functions with equal results on every processor: compares them with the C library, and their bits with
// stored values.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/elementary.hpp"

using adcl::exponential;
using adcl::logarithm;
using adcl::normal_tail;
using adcl::power;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool near(double value, double expected, double relative) {
  return value == expected || std::abs(value - expected) <= relative * std::abs(expected);
}

}  // namespace

TEST(Elementary, FunctionsMatchTheCLibrary) {
  constexpr unsigned seed = 20261124;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponents(-700.0, 700.0);
  std::uniform_real_distribution<double> near_zero(-3.0, 3.0);
  std::uniform_real_distribution<double> tails(-9.0, 35.0);
  for (int i = 0; i < 200000; ++i) {
    const double x = exponents(random);
    const double small = near_zero(random);
    const double z = tails(random);
    ASSERT_TRUE(near(exponential(x), std::exp(x), 1e-13)) << x << " " << small << " " << z;
    ASSERT_TRUE(near(exponential(small), std::exp(small), 1e-14)) << x << " " << small << " " << z;
    ASSERT_TRUE(near(logarithm(std::exp(x)), std::log(std::exp(x)), 1e-14)) << x << " " << small << " " << z;
    ASSERT_TRUE(std::abs(logarithm(std::exp(small)) - std::log(std::exp(small))) < 1e-15)
        << x << " " << small << " " << z;
    ASSERT_TRUE(near(power(std::exp(small), 0.2), std::pow(std::exp(small), 0.2), 1e-13))
        << x << " " << small << " " << z;
    ASSERT_TRUE(near(normal_tail(z), std::erfc(z / std::sqrt(2.0)) / 2.0, 1e-12)) << x << " " << small << " " << z;
  }
}

TEST(Elementary, EndsOfTheRange) {
  EXPECT_EQ(logarithm(0.0), -infinity);
  EXPECT_TRUE(std::isnan(logarithm(-1.0)));
  EXPECT_TRUE(std::isnan(logarithm(std::nan(""))));
  EXPECT_EQ(logarithm(infinity), infinity);
  EXPECT_EQ(logarithm(1.0), 0.0);
  EXPECT_TRUE(near(logarithm(5e-324), std::log(5e-324), 1e-14));
  EXPECT_EQ(exponential(0.0), 1.0);
  EXPECT_EQ(exponential(-infinity), 0.0);
  EXPECT_EQ(exponential(infinity), infinity);
  EXPECT_EQ(exponential(800.0), infinity);
  EXPECT_EQ(exponential(-800.0), 0.0);
  EXPECT_TRUE(std::isnan(exponential(std::nan(""))));
  EXPECT_EQ(power(0.0, 0.0), 1.0);
  EXPECT_EQ(power(0.0, 2.0), 0.0);
  EXPECT_EQ(normal_tail(0.0), 0.5);
  EXPECT_EQ(normal_tail(-40.0), 1.0);
  EXPECT_EQ(normal_tail(100.0), 0.0);
}

TEST(Elementary, BitsMatchStoredValues) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(exponential(0.3)), 0x3FF599058C8C1A96ULL);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(exponential(-17.25)), 0x3E614F49DBC5078CULL);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(logarithm(0.3)), 0xBFF34378FCBDA721ULL);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(logarithm(123456.789)), 0x40277281CAD8A844ULL);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(normal_tail(1.25)), 0x3FBB0BDD12BA9C2BULL);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(normal_tail(4.75)), 0x3EB11056DA03CB97ULL);
}
