#include "capi/registry.hpp"

#include <algorithm>
#include <cstdlib>

#include "output/trace.hpp"

namespace adcl::capi {
namespace {

constexpr std::size_t remembered_topologies = 64;

}  // namespace

Registry& make_registry() {
  // Never destroyed: handles may be used by destructors that run after main().
  static auto* instance = new Registry();
  known_registry.store(instance, std::memory_order_release);
  return *instance;
}

void abandon_registry() {
  auto* emptied = new Registry(&registry());  // NOLINT(cppcoreguidelines-owning-memory)
  known_registry.store(emptied, std::memory_order_release);
}

Registry::Registry(Registry* former) {
  const std::scoped_lock lock(former->mutex_);
  options_ = former->options_;
  options_known_ = former->options_known_;
}

std::shared_ptr<const runtime::Settings> Registry::settings() {
  const std::scoped_lock lock(mutex_);
  if (settings_ == nullptr) {
    settings_ = std::make_shared<const runtime::Settings>(runtime::Settings::from(options_.values()));
  }
  return settings_;
}

void Registry::set_option(const std::string& name, const std::string& value) {
  const std::scoped_lock lock(mutex_);
  options_.set(runtime::Origin::program, name, value);
  settings_.reset();
}

std::string Registry::option(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  return options_.value(name);
}

void Registry::reload_options() {
  {
    const std::scoped_lock lock(mutex_);
    options_known_ = false;
  }
  auto options = runtime::OptionStore::from_environment();
  const std::scoped_lock lock(mutex_);
  options_ = std::move(options);
  settings_.reset();
  options_known_ = true;
}

std::string Registry::error_mode() {
  const std::scoped_lock lock(mutex_);
  if (options_known_) {
    return options_.value("ADCL_ERRORS");
  }
  const char* const value = std::getenv("ADCL_ERRORS");
  return value == nullptr ? "return" : value;
}

std::shared_ptr<mpi::Context> Registry::context_of_freed(const void* topology) {
  const std::scoped_lock lock(mutex_);
  const auto entry = std::find_if(freed_topologies_.rbegin(), freed_topologies_.rend(),
                                  [&](const auto& freed) { return freed.first == topology; });
  return entry != freed_topologies_.rend() ? entry->second.lock() : nullptr;
}

void Registry::remember_context(const void* topology, const std::shared_ptr<mpi::Context>& context) {
  const std::scoped_lock lock(mutex_);
  if (freed_topologies_.size() >= remembered_topologies) {
    freed_topologies_.erase(freed_topologies_.begin());
  }
  freed_topologies_.emplace_back(topology, context);
}

}  // namespace adcl::capi
