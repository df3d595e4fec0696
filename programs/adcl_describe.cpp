// Prints one JSON document that describes this build of the library: MPI library, function sets with their
// codelets, selection logics, statistical methods and options. Does not initialize MPI.
#include <mpi.h>

#include <array>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "ADCL.h"
#include "codelets/sets.hpp"
#include "core/error.hpp"
#include "measure/estimator.hpp"
#include "options/options.hpp"
#include "select/search.hpp"

namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  std::string text = version.data();
  return text.substr(0, text.find('\n'));
}

Json attributes_of(const adcl::AttributeSet& attributes) {
  Json list = Json::array();
  for (const auto& attribute : attributes) {
    Json values = Json::array();
    for (const auto& value : attribute.values) {
      values.push_back(
          {{"name", value.name}, {"value", value.value}, {"class", value.value_class}, {"level", value.level}});
    }
    list.push_back({{"name", attribute.name}, {"values", values}});
  }
  return list;
}

Json values_of(const adcl::Codelet& codelet, const adcl::AttributeSet& attributes) {
  Json values = Json::object();
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const auto* value = attributes[i].find(codelet.attributes[i]);
    values[attributes[i].name] = value != nullptr ? Json(value->name) : Json(nullptr);
  }
  return values;
}

Json progress_depth_of(const adcl::Capabilities& capabilities) {
  return capabilities.progress_depth == adcl::no_progress ? Json(nullptr) : Json(capabilities.progress_depth);
}

Json codelet_of(const adcl::Codelet& codelet, const adcl::AttributeSet& attributes) {
  const auto& capabilities = codelet.capabilities;
  const auto& unavailable = codelet.algorithm.unavailable;
  const auto reason = unavailable != nullptr ? unavailable() : std::nullopt;
  return {{"name", codelet.name},
          {"attributes", values_of(codelet, attributes)},
          {"capabilities",
           {{"nonblocking", capabilities.nonblocking},
            {"fixed_buffers", capabilities.fixed_buffers},
            {"fixed_several", capabilities.fixed_several},
            {"collective_plan", capabilities.collective_plan},
            {"touches_data", capabilities.touches_data},
            {"progress_depth", progress_depth_of(capabilities)}}},
          {"requirements", codelet.requirements},
          {"source", codelet.source},
          {"expectation", codelet.expectation},
          {"available", !reason.has_value()},
          {"unavailable_because", reason.value_or("")}};
}

Json set_of(const adcl::codelets::PredefinedSet& predefined) {
  const adcl::FunctionSet& set = predefined.set();
  Json codelets = Json::array();
  for (const auto& codelet : set.codelets) {
    codelets.push_back(codelet_of(codelet, set.attributes));
  }
  return {{"name", set.name},
          {"constant", predefined.constant},
          {"summary", set.summary},
          {"attributes", attributes_of(set.attributes)},
          {"codelets", codelets}};
}

Json sets() {
  Json list = Json::array();
  for (const auto& predefined : adcl::codelets::sets()) {
    list.push_back(set_of(predefined));
  }
  return list;
}

template <typename Rows>
Json methods_of(const Rows& rows) {
  Json list = Json::array();
  for (const auto& row : rows) {
    list.push_back({{"name", row.name}, {"summary", row.summary}, {"source", row.source}});
  }
  return list;
}

const char* type_name(adcl::OptionType type) {
  switch (type) {
    case adcl::OptionType::choice:
      return "choice";
    case adcl::OptionType::integer:
      return "integer";
    case adcl::OptionType::real:
      return "real";
    case adcl::OptionType::toggle:
      return "switch";
    case adcl::OptionType::text:
      return "text";
    case adcl::OptionType::path:
      return "path";
  }
  return "";
}

const char* role_name(adcl::OptionRole role) {
  switch (role) {
    case adcl::OptionRole::decides:
      return "decides";
    case adcl::OptionRole::timer:
      return "timer";
    case adcl::OptionRole::output:
      return "output";
    case adcl::OptionRole::process:
      return "process";
  }
  return "";
}

Json options_of(const adcl::runtime::OptionStore& store) {
  Json list = Json::array();
  for (const auto& option : adcl::runtime::option_table()) {
    const bool numeric = option.type == adcl::OptionType::integer || option.type == adcl::OptionType::real;
    list.push_back({{"name", option.name},
                    {"type", type_name(option.type)},
                    {"choices", option.choices},
                    {"minimum", numeric ? Json(option.minimum) : Json(nullptr)},
                    {"maximum", numeric ? Json(option.maximum) : Json(nullptr)},
                    {"default", option.default_value},
                    {"value", store.value(option.name)},
                    {"origin", adcl::runtime::origin_name(store.origin(option.name))},
                    {"help", option.help},
                    {"role", role_name(option.role)},
                    {"users", option.users}});
  }
  return list;
}

}  // namespace

int main() {
  try {
    int major = 0;
    int minor = 0;
    MPI_Get_version(&major, &minor);
    const auto store = adcl::runtime::OptionStore::from_environment();
    const Json document = {
        {"schema", schema},
        {"version", adcl::text(ADCL_VERSION_MAJOR, ".", ADCL_VERSION_MINOR, ".", ADCL_VERSION_PATCH)},
        {"build",
         {{"compiler", ADCL_COMPILER},
          {"flags", ADCL_FLAGS},
          {"mpi_standard", adcl::text(major, ".", minor)},
          {"mpi_library", mpi_library()}}},
        {"function_sets", sets()},
        {"searches", methods_of(adcl::select::table())},
        {"estimators", methods_of(adcl::measure::table())},
        {"options", options_of(store)}};
    std::cout << document.dump(1) << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "adcl-describe: " << error.what() << '\n';
    return 1;
  }
}
