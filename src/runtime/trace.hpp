/// \file trace.hpp
/// Writes records as JSON Lines, one file per process.
#pragma once

#include <string>

#include "core/record.hpp"
#include "mpi/context.hpp"

namespace adcl::runtime {

/// One line of JSON without the newline: {"schema", "event", "time_s", "rank", "communicator", ...the members of the
/// record}. Numbers of requests and searches count within \p communicator, whose name is the same on all its ranks.
/// \p time_s is MPI_Wtime of the moment it was noted, \p rank the process's rank in MPI_COMM_WORLD.
std::string to_json(const Record& record, const std::string& communicator, double time_s, int rank);

/// Notes a record for the trace in \p folder; "off" notes nothing. Records wait in memory until flush_trace, so that
/// writing does not disturb what is measured. Local.
void note(const std::string& folder, const mpi::Context& context, const Record& record);

/// Appends what was noted to FOLDER/adcl.RANK.jsonl; makes the folder when there is none. Throws Error(file).
void flush_trace();

}  // namespace adcl::runtime
