/// \file halo.hpp
/// The moving populations, and the exchange of their halos. Each population is an array with a halo only on the sides
/// from which it enters the block, so only values that cross a face are sent.
#pragma once

#include <adcl.hpp>
#include <optional>
#include <vector>

#include "block.hpp"
#include "common/app.h"
#include "messages.hpp"

namespace lattice_boltzmann {

class Halo {
 public:
  /// Collective.
  Halo(const Block& block, const AppSettings& settings);
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;
  ~Halo();

  [[nodiscard]] Field& field(std::size_t index) noexcept { return fields_[index]; }
  [[nodiscard]] AppExchange* exchange() const noexcept { return exchange_; }

 private:
  void make_adcl(const Block& block, const AppSettings& settings);

  std::optional<adcl::Library> library_;  ///< empty without ADCL; destroyed after the exchange
  std::vector<Field> fields_;
  Messages messages_;
  AppExchange* exchange_ = nullptr;
};

}  // namespace lattice_boltzmann
