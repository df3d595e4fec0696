/// \file registry.hpp
/// The handle tables and the options of this process.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ADCL.h"
#include "capi/handles.hpp"
#include "options/options.hpp"
#include "output/failures.hpp"
#include "request/function_set.hpp"
#include "request/request.hpp"
#include "timer/timer.hpp"

namespace adcl::capi {

struct Registry {
  HandleTable<data::Vmap, ADCL_Vmap> vmaps{ADCL_VMAP_NULL, "ADCL_Vmap"};
  HandleTable<data::Vector, ADCL_Vector> vectors{ADCL_VECTOR_NULL, "ADCL_Vector"};
  HandleTable<data::Topology, ADCL_Topology> topologies{ADCL_TOPOLOGY_NULL, "ADCL_Topology"};
  HandleTable<Attribute, ADCL_Attribute> attributes{ADCL_ATTRIBUTE_NULL, "ADCL_Attribute"};
  HandleTable<AttributeSet, ADCL_Attrset> attrsets{ADCL_ATTRSET_NULL, "ADCL_Attrset"};
  HandleTable<runtime::Function, ADCL_Function> functions{ADCL_FUNCTION_NULL, "ADCL_Function"};
  HandleTable<runtime::FunctionSetObject, ADCL_Fnctset> fnctsets{ADCL_FNCTSET_NULL, "ADCL_Fnctset", 31};
  HandleTable<runtime::Request, ADCL_Request> requests{ADCL_REQUEST_NULL, "ADCL_Request"};
  HandleTable<runtime::Timer, ADCL_Timer> timers{ADCL_TIMER_NULL, "ADCL_Timer"};

  Registry() = default;
  /// Copies the options of \p former, but no objects.
  explicit Registry(Registry* former);

  /// The settings that result from this process's options.
  std::shared_ptr<const runtime::Settings> settings();
  void set_option(const std::string& name, const std::string& value);
  std::string option(const std::string& name);
  void reload_options();
  /// The value of ADCL_ERRORS; while there are no valid options, or before ADCL_Init, the value in the environment.
  std::string error_mode();

  /// The context of a recently freed topology, or null.
  std::shared_ptr<mpi::Context> context_of_freed(const void* topology);
  void remember_context(const void* topology, const std::shared_ptr<mpi::Context>& context);

 private:
  std::mutex mutex_;
  runtime::OptionStore options_;
  bool options_known_ = false;
  std::shared_ptr<const runtime::Settings> settings_;  ///< result of the current options; reset when an option changes
  std::vector<std::pair<const void*, std::weak_ptr<mpi::Context>>> freed_topologies_;
};

Registry& make_registry();

/// Replaces the registry with one that has the same options and no objects, which invalidates all handles. The objects'
/// resources are kept until the process ends. No other call of the library may be active.
void abandon_registry();

/// The registry that make_registry() created; every start reads it.
inline constinit std::atomic<Registry*> known_registry = nullptr;

inline Registry& registry() {
  Registry* const known = known_registry.load(std::memory_order_acquire);
  return known != nullptr ? *known : make_registry();
}

}  // namespace adcl::capi
