#include "core/problem.hpp"

#include "core/machine.hpp"

namespace adcl {

std::uint64_t Problem::signature() const {
  Hash hash;
  hash.add(pattern());
  identify(hash);
  return hash.add(machine_ != nullptr ? machine_->identity() : 0).value();
}

Features Problem::features() const {
  Features features = {{"pattern", pattern()}};
  add_features(features);
  if (machine_ != nullptr) {
    features.push_back({"ranks", static_cast<double>(machine_->ranks)});
    features.push_back({"nodes", static_cast<double>(machine_->nodes.count)});
    features.push_back({"mpi_library", machine_->library});
    features.push_back({"mpi_version", machine_->version});
  }
  return features;
}

std::string Problem::describe() const {
  std::string line;
  for (const Feature& feature : features()) {
    if (!feature.phrase.empty()) {
      line += (line.empty() ? "" : ", ") + feature.phrase;
    }
  }
  return line;
}

}  // namespace adcl
