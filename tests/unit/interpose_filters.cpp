#include <gtest/gtest.h>

#include <array>

#include "interpose/filters.hpp"

using adcl::interpose::admits;

namespace {

const std::array<std::string, 3> program = {"solver_mpi", "solver_mpi.real", "/opt/site/bin/solver_mpi.real"};

TEST(InterposeFilters, AnEmptyListAdmitsEverything) {
  EXPECT_TRUE(admits("", program));
  EXPECT_TRUE(admits(" , ,!", program));
}

TEST(InterposeFilters, OnePatternMustMatchIfThereAreAny) {
  EXPECT_TRUE(admits("solver*", program));
  EXPECT_TRUE(admits("lmp, solver_mpi", program));
  EXPECT_TRUE(admits("/opt/site/*", program));
  EXPECT_TRUE(admits("solver_???", program));
  EXPECT_TRUE(admits("[rs]olver*", program));
  EXPECT_FALSE(admits("solver", program));
  EXPECT_FALSE(admits("lmp*,pw.x", program));
}

TEST(InterposeFilters, ADenialTakesPrecedence) {
  EXPECT_TRUE(admits("!python*", program));
  EXPECT_FALSE(admits("!solver*", program));
  EXPECT_FALSE(admits("solver*,!*.real", program));
  EXPECT_FALSE(admits("!*.real,solver*", program));
  EXPECT_FALSE(admits("! /opt/site/*", program));
}

}  // namespace
