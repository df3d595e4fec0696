#include "halo.hpp"

#include <array>

namespace lattice_boltzmann {
namespace {

std::vector<Field> make_fields(const Block& block) {
  std::vector<Field> fields;
  for (std::size_t f = 0; f < moving; ++f) {
    fields.emplace_back(block.extents(), velocity[f + 1]);
  }
  return fields;
}

/// The array of a population, with a halo layer on the sides from which the population enters.
adcl::Field described(Field& field) {
  std::array<std::size_t, 3> extents{};
  adcl::HaloOptions options{.corners = true};
  for (std::size_t d = 0; d < 3; ++d) {
    extents[d] = static_cast<std::size_t>(field.extents()[d]);
    options.low.push_back(field.velocity()[d] > 0 ? 1 : 0);
    options.high.push_back(field.velocity()[d] < 0 ? 1 : 0);
  }
  return adcl::field(adcl::View<double, 3>(field.data(), extents), options);
}

}  // namespace

Halo::Halo(const Block& block, const AppSettings& settings) : fields_(make_fields(block)), messages_(block, fields_) {
  if (settings.adcl != 0) {
    make_adcl(block, settings);
  } else {
    exchange_ =
        app_exchange_plain(moving, settings.joined, Messages::begin, Messages::end, &messages_, settings.overlap);
  }
}

void Halo::make_adcl(const Block& block, const AppSettings& settings) {
  library_.emplace();
  std::vector<adcl::Field> all;
  for (Field& field : fields_) {
    all.push_back(described(field));
  }
  std::vector<ADCL_Request> requests;
  if (settings.joined != 0) {
    requests.push_back(adcl::halo(all, block.comm()).release());
  } else {
    for (const adcl::Field& field : all) {
      requests.push_back(adcl::halo({field}, block.comm()).release());
    }
  }
  exchange_ = app_exchange_adcl(moving, static_cast<int>(requests.size()), requests.data(), settings.overlap);
}

Halo::~Halo() { app_exchange_free(exchange_); }

}  // namespace lattice_boltzmann
