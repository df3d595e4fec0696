/// \file trace.hpp
/// Writes records as JSON Lines, one file per process and run.
#pragma once

#include <string>

#include "core/record.hpp"
#include "mpi/context.hpp"

namespace adcl::runtime {

/// One line of JSON without the newline: {"schema", "event", "time_s", "rank", "communicator", ...the members of the
/// record}. Numbers of requests and searches count within \p communicator, whose name is the same on all its ranks.
/// \p time_s is MPI_Wtime of the moment it was noted, \p rank the process's rank in MPI_COMM_WORLD.
std::string to_json(const Record& record, const std::string& communicator, double time_s, int rank);

/// The name of the run that this process has joined. Before, a name for one: the time of the first call in UTC, host
/// and number of the process, so that names are in the order of the runs.
std::string name_of_run();
/// The run's traces are in the folder of that name, of all names that are given the first: rank 0's of the first
/// communicator on which a request is created.
void join_run(const std::string& name);

/// Notes a record for the trace in \p folder; "off" notes nothing. Measurements wait in memory for the agreement that
/// uses them, or until they are many, so that writing does not disturb what is measured; with each other record all
/// that waits reaches the file FOLDER/RUN/adcl.RANK.jsonl, and a crash loses no more than the last batch. Local. A file
/// that cannot be written is an error of flush_trace().
void note(const std::string& folder, const mpi::Context& context, const Record& record);

/// Writes what waits, and closes the files. Throws Error(file) when something that was noted is in no file.
void flush_trace();

}  // namespace adcl::runtime
