/// \file registry.hpp
/// The handle tables and the options of this process.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "capi/handles.hpp"
#include "options/options.hpp"
#include "output/failures.hpp"
#include "request/function_set.hpp"
#include "request/request.hpp"
#include "timer/timer.hpp"

namespace adcl::capi {

struct Registry {
  HandleTable<data::Vmap> vmaps{HandleKind::vmap, "ADCL_Vmap", 0};
  HandleTable<data::Vector> vectors{HandleKind::vector, "ADCL_Vector", 0};
  HandleTable<data::Topology> topologies{HandleKind::topology, "ADCL_Topology", 0};
  HandleTable<Attribute> attributes{HandleKind::attribute, "ADCL_Attribute", 0};
  HandleTable<AttributeSet> attrsets{HandleKind::attrset, "ADCL_Attrset", 0};
  HandleTable<runtime::Function> functions{HandleKind::function, "ADCL_Function", 0};
  HandleTable<runtime::FunctionSetObject> fnctsets{HandleKind::fnctset, "ADCL_Fnctset", 31};
  HandleTable<runtime::Request> requests{HandleKind::request, "ADCL_Request", 0};
  HandleTable<runtime::Timer> timers{HandleKind::timer, "ADCL_Timer", 0};

  Registry() = default;
  /// Copies the options of \p former, but no objects.
  explicit Registry(Registry* former);

  /// The settings that result from this process's options.
  std::shared_ptr<const runtime::Settings> settings();
  void set_option(const std::string& name, const std::string& value);
  std::string option(const std::string& name);
  runtime::Origin option_origin(const std::string& name);
  void reload_options();
  /// The mode set by ADCL_ERRORS; while there are no valid options, or before ADCL_Init, the mode set by the
  /// environment.
  runtime::ErrorMode error_mode();

  /// The context of a recently freed topology, or null.
  std::shared_ptr<mpi::Context> context_of_freed(const void* topology);
  /// Called when a topology is freed.
  void remember_context(const void* topology, const std::shared_ptr<mpi::Context>& context);

 private:
  std::mutex mutex_;
  runtime::OptionStore options_;
  bool options_known_ = false;
  std::shared_ptr<const runtime::Settings> settings_;  ///< of the current options; reset when one changes
  std::vector<std::pair<const void*, std::weak_ptr<mpi::Context>>> freed_topologies_;
};

/// Creates the registry at the first call.
Registry& make_registry();

/// Replaces the registry by one with the same options and no objects, which invalidates all handles. The objects'
/// resources are kept until the process ends. No other call of the library may be active.
void abandon_registry();

/// The registry that make_registry() created; every start reads it.
inline constinit std::atomic<Registry*> known_registry = nullptr;

/// The registry of this process.
inline Registry& registry() {
  Registry* const known = known_registry.load(std::memory_order_acquire);
  return known != nullptr ? *known : make_registry();
}

}  // namespace adcl::capi
