// ADCL_v1_Init and ADCL_v1_Finalize: they find and read config.adcl.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "capi/guard.hpp"
#include "capi/registry.hpp"
#include "capi/v1/codes.hpp"
#include "capi/v1/config.hpp"
#include "mpi/environment.hpp"
#include "output/report.hpp"

namespace adcl::capi::v1 {
namespace {

std::string home() {
  const char* const folder = std::getenv("HOME");
  return folder != nullptr ? folder : "";
}

/// Finds the first config.adcl in the working directory, the executable's directory, and ~/.adcl.
std::optional<std::filesystem::path> find_config() {
  std::vector<std::filesystem::path> folders{"."};
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    folders.push_back(executable.parent_path());
  }
  if (!home().empty()) {
    folders.push_back(std::filesystem::path(home()) / ".adcl");
  }
  for (const auto& folder : folders) {
    const auto path = folder / "config.adcl";
    if (std::filesystem::is_regular_file(path, error)) {
      return path;
    }
  }
  return std::nullopt;
}

std::string content_of(const std::filesystem::path& path) {
  constexpr std::streamsize limit = std::streamsize{1} << 20U;
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), Code::file, path.string(), ": the file cannot be opened for reading");
  std::string content(static_cast<std::size_t>(limit), '\0');
  file.read(content.data(), limit);
  require(!file.bad(), Code::file, path.string(), ": the file cannot be read");
  content.resize(static_cast<std::size_t>(file.gcount()));
  return content;
}

/// Applies the settings of the file that neither the environment nor ADCL_CONFIG overrides.
void apply_config() {
  const auto path = find_config();
  if (!path.has_value()) {
    return;
  }
  const V1Config config = read_v1_config(content_of(*path), path->string(), home());
  for (const V1Setting& setting : config.settings) {
    try {
      registry().set_option(setting.option, setting.value);
    } catch (const Error& error) {
      throw Error(error.code(), text(path->string(), ":", setting.line, ": ", error.what()));
    }
  }
  for (const std::string& ignored : config.ignored) {
    if (mpi::world_rank() == 0) {
      runtime::report_line(registry().option("ADCL_REPORT"), text(path->string(), ": ", ignored));
    }
  }
}

}  // namespace
}  // namespace adcl::capi::v1

using namespace adcl::capi;
using namespace adcl::capi::v1;

extern "C" {

int ADCL_v1_Init(void) {
  int before = 0;
  ADCL_Initialized(&before);
  int code = ADCL_Init();
  if (code == ADCL_SUCCESS && before == 0) {
    code = guard("ADCL_Init", [] { apply_config(); });
    if (code != ADCL_SUCCESS) {
      // The message about the file is kept: ADCL_Finalize succeeds here, since no operation can be in flight.
      ADCL_Finalize();
    }
  }
  return v1_code(code, ADCL_INVALID_ARG);
}

int ADCL_v1_Finalize(void) { return v1_code(ADCL_Finalize(), ADCL_INVALID_ARG); }

}  // extern "C"
