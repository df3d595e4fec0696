#include "problem.hpp"

#include "common/nas_random.hpp"

namespace is {
namespace {

// Each iteration sets two keys: the number of the iteration, and the largest key minus that number. They are below or
// above a checked key, so its rank changes from iteration to iteration.
constexpr ProblemClass classes[] = {
    {'S',
     16,
     11,
     {{{48427, 0, 1, 0}, {17148, 18, 1, 0}, {23627, 346, 1, 0}, {62548, 64917, -1, 0}, {4431, 65463, -1, 0}}}},
    {'W',
     20,
     16,
     {{{357773, 1249, 1, -2},
       {934767, 11698, 1, -2},
       {875723, 1039987, -1, 0},
       {898999, 1043896, -1, 0},
       {404505, 1048018, -1, 0}}}},
    {'A',
     23,
     19,
     {{{2112377, 104, 1, -1},
       {662041, 17523, 1, -1},
       {5336171, 123928, 1, -1},
       {3642833, 8288932, -1, -1},
       {4250760, 8388264, -1, -1}}}},
    {'B',
     25,
     21,
     {{{41869, 33422937, -1, 0},
       {812306, 10244, 1, 0},
       {5102857, 59149, 1, 0},
       {18232239, 33135281, -1, 0},
       {26860214, 99, 1, 0}}}},
    {'C',
     27,
     23,
     {{{44172927, 61147, 1, 0},
       {72999161, 882988, 1, 0},
       {74326391, 266290, 1, 0},
       {129606274, 133997595, -1, 0},
       {21736814, 133525895, -1, 0}}}},
};

}  // namespace

const ProblemClass* find_class(std::string_view name) noexcept {
  for (const ProblemClass& candidate : classes) {
    if (name.size() == 1 && name.front() == candidate.name) {
      return &candidate;
    }
  }
  return nullptr;
}

std::vector<Key> make_keys(const ProblemClass& problem, std::int64_t begin, std::int64_t end) {
  constexpr int numbers_per_key = 4;
  const double scale = problem.largest() / numbers_per_key;
  apps::NasRandom random;
  random.skip(static_cast<std::uint64_t>(begin) * numbers_per_key);
  std::vector<Key> keys(static_cast<std::size_t>(end - begin));
  for (Key& key : keys) {
    double sum = random.next();
    sum += random.next();
    sum += random.next();
    sum += random.next();
    key = static_cast<Key>(scale * sum);
  }
  return keys;
}

Key low_key(int iteration) noexcept { return iteration; }

Key high_key(const ProblemClass& problem, int iteration) noexcept { return problem.largest() - iteration; }

std::int64_t wanted_rank(const Check& check, int iteration) noexcept {
  return check.rank + check.sign * (iteration + check.offset);
}

}  // namespace is
