/// \file publish.hpp
/// Gives a new request its handle.
#pragma once

#include <memory>

#include "capi/registry.hpp"

namespace adcl::capi {

inline void publish(const std::shared_ptr<runtime::Request>& request, ADCL_Request* req) {
  *req = to_handle<ADCL_Request>(registry().requests.insert(request));
  request->handle = *req;
}

}  // namespace adcl::capi
