#include "interpose/user_history.hpp"

#include "interpose/variables.hpp"
#include "measure/stopwatch.hpp"

namespace adcl::interpose {
namespace {

/// Writing may take this time plus this part of the run.
constexpr double least_writing_s = 0.01;
constexpr double writing_part = 0.005;
/// Longest wait for another process that writes. Only the process that reports waits longer than a moment: the first
/// ranks of many communicators may write at the same time.
constexpr double usual_lock_s = 0.005;

/// Empty without a home. The specification of the variable excludes relative paths.
std::string cache_folder() {
  std::string cache = variable("XDG_CACHE_HOME");
  if (cache.starts_with('/')) {
    return cache;
  }
  const std::string home = variable("HOME");
  return home.starts_with('/') ? home + "/.cache" : "";
}

}  // namespace

std::string history_folder(const runtime::OptionStore& options) {
  const std::string own = variable("ADCL_INTERPOSE_HISTORY");
  if (own == "off") {
    return "";
  }
  if (!own.empty()) {
    return absolute(own);
  }
  if (options.origin("ADCL_HISTORY") != runtime::Origin::default_value) {
    const std::string folder = options.value("ADCL_HISTORY");
    return folder == "off" || folder == "memory" ? "" : folder;
  }
  const std::string cache = cache_folder();
  return cache.empty() ? "" : cache + "/adcl/history";
}

HistoryUse store_history(history::Deferred& history, double run_s, bool reports) {
  const double limit_s = least_writing_s + writing_part * run_s;
  const double end_s = measure::now() + limit_s;
  HistoryUse use{history.folder(), history.found(), 0, ""};
  const auto stored = history.flush(reports ? limit_s : usual_lock_s, [end_s] { return measure::now() < end_s; });
  use.stored = stored.problems;
  use.trouble = stored.trouble;
  return use;
}

HistoryUse measured_history(const history::Deferred& history) {
  return {history.folder(), history.found(), 0, "ADCL_INTERPOSE=measure"};
}

}  // namespace adcl::interpose
