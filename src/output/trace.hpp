/// \file trace.hpp
/// Writes records as JSON Lines, one file per process and run.
#pragma once

#include <string>

#include "core/record.hpp"
#include "mpi/context.hpp"

namespace adcl::runtime {

/// The name of the run that this process has joined. Before that, a name for a run: UTC time of the first call, host,
/// and process number. Names sort in the order of the runs.
std::string name_of_run();
/// Sets the name of the run's trace folder. The first call passes rank 0's name, on the first communicator that creates
/// a request; later calls have no effect.
void join_run(const std::string& name);

/// Adds a record to the trace in \p folder; "off" adds nothing. The record is one line of JSON: {"schema", "event",
/// "time_s", "rank", "communicator", ...the members of the record}. Numbers of requests and searches are unique within
/// the communicator, whose name is the same on all its ranks. "time_s" is MPI_Wtime now, "rank" is the rank in
/// MPI_COMM_WORLD. Measurements stay in memory until an agreement uses them or the buffer is full, so that writing does
/// not disturb measurements. Any other record writes everything to FOLDER/RUN/adcl.RANK.jsonl, so a crash loses at most
/// the last batch. Local. flush_trace() throws if a file cannot be written.
void write_trace(const std::string& folder, const mpi::Context& context, const Record& record);

/// Writes the records in memory and closes the files. Throws Error(file) if a record could not be written.
void flush_trace();

}  // namespace adcl::runtime
