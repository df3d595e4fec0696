#include "core/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace adcl {

namespace {

std::size_t edit_distance(const std::string& from, const std::string& to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t k = 0; k < to.size(); ++k) {
      const std::size_t replaced = diagonal + (from[i] == to[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(const std::string& word, std::span<const std::string> known) {
  const std::string wanted = lower_case(word);
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  std::string result;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(wanted, lower_case(name));
    if (distance < smallest) {
      smallest = distance;
      result = name;
    }
  }
  return result;
}

bool is_misspelled(const std::string& word, const std::string& name) {
  return word != name && 3 * edit_distance(lower_case(word), lower_case(name)) <= name.size();
}

}  // namespace adcl
