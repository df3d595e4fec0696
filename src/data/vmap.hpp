/// \file vmap.hpp
/// Vector maps: which elements of an array are sent and received.
#pragma once

namespace adcl::data {

/// Base class of all vmaps. Each pattern defines its own kinds and interprets them.
class Vmap {
 public:
  Vmap() = default;
  Vmap(const Vmap&) = delete;
  Vmap& operator=(const Vmap&) = delete;
  virtual ~Vmap() = default;
};

}  // namespace adcl::data
