#include "halo.hpp"

namespace lattice_boltzmann {
namespace {

std::vector<Field> make_fields(const Block& block) {
  std::vector<Field> fields;
  for (std::size_t f = 0; f < moving; ++f) {
    fields.emplace_back(block.extents(), velocity[f + 1]);
  }
  return fields;
}

}  // namespace

Halo::Halo(const Block& block, const AppSettings& settings)
    : fields_(make_fields(block)), messages_(block, fields_), adcl_(settings.adcl != 0) {
  if (adcl_) {
    make_adcl(block, settings);
  } else {
    exchange_ =
        app_exchange_plain(moving, settings.joined, Messages::begin, Messages::end, &messages_, settings.overlap);
  }
}

void Halo::make_adcl(const Block& block, const AppSettings& settings) {
  app_check(ADCL_Init());
  app_check(ADCL_Topology_create_extended(block.comm(), &topology_));
  for (Field& field : fields_) {
    Extents low{};
    Extents high{};
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = field.velocity()[d] > 0 ? 1 : 0;
      high[d] = field.velocity()[d] < 0 ? 1 : 0;
    }
    ADCL_Vector vector = ADCL_VECTOR_NULL;
    ADCL_Vmap vmap = ADCL_VMAP_NULL;
    app_check(ADCL_Vector_register(3, field.extents().data(), 0, MPI_DOUBLE, field.data(), &vector));
    app_check(ADCL_Vmap_halo_allocate_generic(3, low.data(), high.data(), &vmap));
    vectors_.push_back(vector);
    vmaps_.push_back(vmap);
  }
  std::vector<ADCL_Request> requests(settings.joined != 0 ? 1 : fields_.size(), ADCL_REQUEST_NULL);
  if (settings.joined != 0) {
    app_check(ADCL_Request_create_several(moving, vectors_.data(), vmaps_.data(), vectors_.data(), vmaps_.data(),
                                          topology_, ADCL_FNCTSET_NEIGHBORHOOD, requests.data()));
  } else {
    for (std::size_t f = 0; f < requests.size(); ++f) {
      app_check(ADCL_Request_create(vectors_[f], vmaps_[f], topology_, ADCL_FNCTSET_NEIGHBORHOOD, &requests[f]));
    }
  }
  exchange_ = app_exchange_adcl(moving, static_cast<int>(requests.size()), requests.data(), settings.overlap);
}

Halo::~Halo() {
  app_exchange_free(exchange_);
  if (adcl_) {
    for (std::size_t f = 0; f < vectors_.size(); ++f) {
      app_check(ADCL_Vector_deregister(&vectors_[f]));
      app_check(ADCL_Vmap_free(&vmaps_[f]));
    }
    app_check(ADCL_Topology_free(&topology_));
    app_check(ADCL_Finalize());
  }
}

}  // namespace lattice_boltzmann
