// A problem's features, its description, and the inputs of its signature.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "core/machine.hpp"
#include "core/problem.hpp"
#include "mpi/library.hpp"

namespace adcl {
namespace {

class Toy final : public Problem {
 public:
  Toy(int count, const Machine* machine) : Problem(machine), count_(count) {}
  [[nodiscard]] Statement state() const override { return {}; }
  void settle(const Settlement& /*settlement*/) override {}
  void verify(mpi::Context& /*context*/, const std::array<std::uint64_t, 2>& /*balances*/) const override {}

 protected:
  [[nodiscard]] const char* pattern() const override { return "toy"; }
  void identify(Hash& hash) const override { hash.add(static_cast<std::uint64_t>(count_)); }
  void add_features(Features& features) const override {
    features.push_back({"count", static_cast<double>(count_), "toy of " + std::to_string(count_)});
    features.push_back({"hidden", 7.0});
    features.push_back({"kind", "plain", "plain kind"});
  }

 private:
  int count_;
};

Machine machine() {
  Machine made;
  made.ranks = 4;
  made.nodes.count = 2;
  made.library = "Open MPI";
  made.version = "4.1.4";
  return made;
}

TEST(Problem, DescriptionConsistsOfTheFeaturesWithAPhrase) {
  EXPECT_EQ(Toy(3, nullptr).describe(), "toy of 3, plain kind");
  const Machine here = machine();
  EXPECT_EQ(Toy(3, &here).describe(), "toy of 3, plain kind");
}

TEST(Problem, ListsPatternFeaturesAndMachine) {
  const Machine here = machine();
  std::string names;
  for (const Feature& feature : Toy(3, &here).features()) {
    names += feature.name + " ";
  }
  EXPECT_EQ(names, "pattern count hidden kind ranks nodes mpi_library mpi_version ");
}

TEST(Problem, SignatureDependsOnTheMachine) {
  const Machine here = machine();
  const std::uint64_t signature = Toy(3, &here).signature();
  const Machine again = machine();
  EXPECT_EQ(Toy(3, &again).signature(), signature);
  EXPECT_NE(Toy(4, &here).signature(), signature);
  const auto elsewhere = [&](auto change) {
    Machine other = machine();
    change(other);
    return Toy(3, &other).signature();
  };
  EXPECT_NE(elsewhere([](Machine& m) { m.ranks = 5; }), signature);
  EXPECT_NE(elsewhere([](Machine& m) { m.nodes.hash = 1; }), signature);
  EXPECT_NE(elsewhere([](Machine& m) { m.library = "MPICH"; }), signature);
  EXPECT_NE(elsewhere([](Machine& m) { m.version = "4.1.5"; }), signature);
  // Values of one rank only must not change the signature.
  EXPECT_EQ(elsewhere([](Machine& m) { m.nodes.ranks = {0, 1}; }), signature);
}

TEST(Library, NameAndVersionAreParsedFromVersionStrings) {
  const auto split = [](const char* line) {
    const mpi::NameAndVersion parts = mpi::split_version(line);
    return parts.name + "|" + parts.version;
  };
  EXPECT_EQ(split("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"), "Open MPI|4.1.4");
  EXPECT_EQ(split("MPICH Version: 4.0.2"), "MPICH|4.0.2");
  EXPECT_EQ(split("MPICH Version:      5.0.0"), "MPICH|5.0.0");
  EXPECT_EQ(split("Intel(R) MPI Library 2021.14 for Linux* OS"), "Intel(R) MPI Library|2021.14");
  EXPECT_EQ(split("MVAPICH2 Version : 2.3.7"), "MVAPICH2|2.3.7");
  EXPECT_EQ(split("SMPI Version 3.32. Copyright The Simgrid Team 2007-2022"), "SMPI|3.32");
  EXPECT_EQ(split("a library without a number"), "a library without a number|");
  EXPECT_EQ(split(""), "|");
}

}  // namespace
}  // namespace adcl
