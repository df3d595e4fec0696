#include "tuner/common_features.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "core/hash.hpp"
#include "history/entry.hpp"
#include "mpi/agreement.hpp"

namespace adcl::runtime {

std::uint64_t hash_of(const Features& features) {
  Hash hash;
  for (const Feature& feature : features) {
    hash.add(feature.name);
    if (const auto* const word = std::get_if<std::string>(&feature.value)) {
      hash.add(*word);
    } else {
      hash.add(std::bit_cast<std::uint64_t>(std::get<double>(feature.value)));
    }
  }
  return std::max<std::uint64_t>(hash.value(), 1);
}

Features common_features(mpi::Context& context, Features own, bool alike) {
  if (alike) {
    return own;
  }
  std::vector<std::byte> bytes;
  if (context.rank() == 0) {
    history::Entry entry;
    entry.features = std::move(own);
    const std::string text = history::to_text(entry);
    bytes.resize(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
  }
  bytes = mpi::broadcast(context, std::move(bytes));
  return history::from_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).features;
}

}  // namespace adcl::runtime
