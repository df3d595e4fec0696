/// \file vmap.hpp
/// Which elements of an array go where.
#pragma once

namespace adcl::data {

/// Base of all vmaps. Each pattern has its own kinds and reads them itself.
class Vmap {
 public:
  Vmap() = default;
  Vmap(const Vmap&) = delete;
  Vmap& operator=(const Vmap&) = delete;
  virtual ~Vmap() = default;
};

}  // namespace adcl::data
