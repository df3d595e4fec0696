/// \file report.hpp
/// The report of a run as a JSON file, which `adcl report` prints.
#pragma once

namespace adcl::interpose {

class Process;

/// Writes the results of \p process to the file of its options: to a temporary file first, which is then renamed. Does
/// nothing if the file cannot be written.
void write_report(const Process& process);

}  // namespace adcl::interpose
