#include "transfer.hpp"

#include <algorithm>
#include <cstring>

namespace adcl::bench {
namespace {

template <typename Value>
Bytes doubles(std::size_t count, Value value) {
  Bytes bytes(count * sizeof(double));
  for (std::size_t i = 0; i < count; ++i) {
    const double number = value(static_cast<double>(i));
    std::memcpy(bytes.data() + i * sizeof(double), &number, sizeof number);
  }
  return bytes;
}

}  // namespace

bool Transfer::correct() {
  receive_ = data_.receive;
  run();
  return std::equal(data_.expected.begin(), data_.expected.end(), receive_.begin());
}

Bytes block_of(int source, int target, std::size_t bytes) {
  Bytes block(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    block[i] = static_cast<unsigned char>(31 * source + 101 * target + static_cast<int>(i % 241) + 1);
  }
  return block;
}

void append(Bytes& to, const Bytes& what) { to.insert(to.end(), what.begin(), what.end()); }

Bytes addends(int rank, std::size_t count, std::size_t first) {
  return doubles(count, [&](double i) { return rank + 1 + i + static_cast<double>(first); });
}

Bytes sums(int ranks, std::size_t count, std::size_t first) {
  const double all = ranks * (ranks + 1) / 2.0;
  return doubles(count, [&](double i) { return all + ranks * (i + static_cast<double>(first)); });
}

}  // namespace adcl::bench
