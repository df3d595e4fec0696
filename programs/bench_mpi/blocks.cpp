#include "blocks.hpp"

#include <numeric>

namespace adcl::bench {
namespace {

Bytes blocks_for_all(const Setting& setting, int source) {
  Bytes all;
  for (int target = 0; target < setting.size; ++target) {
    append(all, block_of(source, target, setting.bytes));
  }
  return all;
}

Bytes blocks_from_all(const Setting& setting, int target) {
  Bytes all;
  for (int source = 0; source < setting.size; ++source) {
    append(all, block_of(source, target, setting.bytes));
  }
  return all;
}

std::size_t numbers_of(const Setting& setting) { return static_cast<std::size_t>(doubles_of(setting)); }

}  // namespace

Layout::Layout(const Setting& setting, MPI_Datatype type, int count)
    : counts(static_cast<std::size_t>(setting.size), count), displacements(counts.size()), types(counts.size(), type) {
  std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), 0);
}

Layout::Layout(const Setting& setting) : Layout(setting, MPI_BYTE, bytes_of(setting)) {}

int bytes_of(const Setting& setting) { return static_cast<int>(setting.bytes); }
int doubles_of(const Setting& setting) { return static_cast<int>(setting.bytes / sizeof(double)); }

Transfer::Data from_root_to_all(const Setting& setting) {
  const Bytes message = block_of(0, 0, setting.bytes);
  return {{}, setting.rank == 0 ? message : Bytes(setting.bytes), message};
}

Transfer::Data from_root(const Setting& setting) {
  return {setting.rank == 0 ? blocks_for_all(setting, 0) : Bytes{}, Bytes(setting.bytes),
          block_of(0, setting.rank, setting.bytes)};
}

Transfer::Data to_root(const Setting& setting) {
  const Bytes all = setting.rank == 0 ? blocks_from_all(setting, 0) : Bytes{};
  return {block_of(setting.rank, 0, setting.bytes), Bytes(all.size()), all};
}

Transfer::Data to_all(const Setting& setting) {
  const Bytes all = blocks_from_all(setting, 0);
  return {block_of(setting.rank, 0, setting.bytes), Bytes(all.size()), all};
}

Transfer::Data between_all(const Setting& setting) {
  const Bytes all = blocks_from_all(setting, setting.rank);
  return {blocks_for_all(setting, setting.rank), Bytes(all.size()), all};
}

Transfer::Data sum_at_root(const Setting& setting) {
  return {addends(setting.rank, numbers_of(setting)), Bytes(setting.bytes),
          setting.rank == 0 ? sums(setting.size, numbers_of(setting)) : Bytes{}};
}

Transfer::Data sum_of_all(const Setting& setting) { return prefix_sum(setting, setting.size); }

Transfer::Data scattered_sum(const Setting& setting) {
  const std::size_t count = numbers_of(setting);
  return {addends(setting.rank, count * static_cast<std::size_t>(setting.size)), Bytes(setting.bytes),
          sums(setting.size, count, count * static_cast<std::size_t>(setting.rank))};
}

Transfer::Data prefix_sum(const Setting& setting, int ranks) {
  const std::size_t count = numbers_of(setting);
  return {addends(setting.rank, count), Bytes(setting.bytes), ranks > 0 ? sums(ranks, count) : Bytes{}};
}

}  // namespace adcl::bench
