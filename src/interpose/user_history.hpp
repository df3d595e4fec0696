/// \file user_history.hpp
/// The folder in which the interposer keeps results between runs.
#pragma once

#include <memory>
#include <string>

#include "history/deferred.hpp"
#include "options/options.hpp"

namespace adcl::interpose {

/// For the report.
struct HistoryUse {
  std::string folder;   ///< empty: no history
  int known = 0;        ///< problems of this process whose results were in the folder
  int stored = 0;       ///< problems whose results this process has stored
  std::string trouble;  ///< why results are not stored; empty: none
};

/// The folder of ADCL_INTERPOSE_HISTORY or of ADCL_HISTORY, otherwise the user's default folder,
/// $XDG_CACHE_HOME/adcl/history or $HOME/.cache/adcl/history. Empty: results are not kept.
std::string history_folder(const runtime::OptionStore& options);

/// Writes the results of this process to the folder. \p run_s: seconds of the run, which limit the time of writing.
/// \p reports: this process writes the report, so it waits longer for processes that write to the folder. Local.
HistoryUse store_history(history::Deferred& history, double run_s, bool reports);
/// The use of a history to which ADCL_INTERPOSE=measure writes nothing.
HistoryUse measured_history(const history::Deferred& history);

}  // namespace adcl::interpose
