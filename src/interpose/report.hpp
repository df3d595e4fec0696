/// \file report.hpp
/// The report of a run as a JSON file, which `adcl report` prints.
#pragma once

namespace adcl::interpose {

class Process;

/// Writes the results of \p process to the file that its options name, through a temporary file that is then renamed.
/// Does nothing if the file cannot be written.
void write_report(const Process& process);

}  // namespace adcl::interpose
