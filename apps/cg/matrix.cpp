#include "matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/nas_random.hpp"

namespace cg {
namespace {

constexpr double condition = 0.1;
constexpr double diagonal_element = 0.5;

struct Element {
  int index;
  double value;
};

using SparseVector = std::vector<Element>;

/// A vector with random values at distinct random positions; in addition, element `own` has the given value.
SparseVector random_vector(apps::NasRandom& random, const ProblemClass& problem, int own) {
  const auto places = static_cast<double>(std::bit_ceil(static_cast<unsigned>(problem.order)));
  SparseVector vector;
  while (static_cast<int>(vector.size()) < problem.nonzeros) {
    const double value = random.next();
    const int index = static_cast<int>(places * random.next());
    const auto same = [index](const Element& element) { return element.index == index; };
    if (index < problem.order && std::none_of(vector.begin(), vector.end(), same)) {
      vector.push_back({index, value});
    }
  }
  const auto at =
      std::find_if(vector.begin(), vector.end(), [own](const Element& element) { return element.index == own; });
  if (at != vector.end()) {
    at->value = diagonal_element;
  } else {
    vector.push_back({own, diagonal_element});
  }
  return vector;
}

struct Product {
  int vector;
  double value;  ///< element of that vector in the row, times the vector's weight
};

/// For each row of the range, the outer products that contribute to it, in order.
std::vector<std::vector<Product>> products_of_rows(const std::vector<SparseVector>& vectors, Range rows) {
  std::vector<std::vector<Product>> products(static_cast<std::size_t>(rows.size()));
  const double ratio = std::pow(condition, 1.0 / static_cast<double>(vectors.size()));
  double weight = 1.0;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    for (const Element& element : vectors[i]) {
      if (element.index >= rows.begin && element.index < rows.end) {
        products[static_cast<std::size_t>(element.index - rows.begin)].push_back(
            {static_cast<int>(i), weight * element.value});
      }
    }
    weight *= ratio;
  }
  return products;
}

}  // namespace

Matrix::Matrix(const ProblemClass& problem, Range rows, Range columns) {
  apps::NasRandom random;
  random.skip(1);  // the benchmark draws one number before it generates the matrix
  std::vector<SparseVector> vectors;
  vectors.reserve(static_cast<std::size_t>(problem.order));
  for (int i = 0; i < problem.order; ++i) {
    vectors.push_back(random_vector(random, problem, i));
  }
  const auto products = products_of_rows(vectors, rows);
  std::vector<double> sums(static_cast<std::size_t>(columns.size()), 0.0);
  std::vector<int> row_of_sum(sums.size(), -1);
  std::vector<int> used;
  row_begin_.push_back(0);
  for (int row = rows.begin; row < rows.end; ++row) {
    used.clear();
    for (const Product& product : products[static_cast<std::size_t>(row - rows.begin)]) {
      for (const Element& element : vectors[static_cast<std::size_t>(product.vector)]) {
        if (element.index < columns.begin || element.index >= columns.end) {
          continue;
        }
        const auto at = static_cast<std::size_t>(element.index - columns.begin);
        if (row_of_sum[at] != row) {
          row_of_sum[at] = row;
          sums[at] = 0.0;
          used.push_back(static_cast<int>(at));
        }
        const bool diagonal = element.index == row && product.vector == row;
        sums[at] += element.value * product.value + (diagonal ? condition - problem.shift : 0.0);
      }
    }
    std::sort(used.begin(), used.end());
    for (const int at : used) {
      columns_.push_back(at);
      values_.push_back(sums[static_cast<std::size_t>(at)]);
    }
    row_begin_.push_back(values_.size());
  }
}

void Matrix::multiply(std::span<const double> x, std::span<double> y) const {
  for (std::size_t row = 0; row < y.size(); ++row) {
    double sum = 0.0;
    for (std::size_t k = row_begin_[row]; k < row_begin_[row + 1]; ++k) {
      sum += values_[k] * x[static_cast<std::size_t>(columns_[k])];
    }
    y[row] = sum;
  }
}

}  // namespace cg
