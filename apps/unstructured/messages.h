/** \file messages.h
 * The program's own halo exchange, in the usual hand-written variants. */
#ifndef ADCL_APPS_UNSTRUCTURED_MESSAGES_H
#define ADCL_APPS_UNSTRUCTURED_MESSAGES_H

#include <mpi.h>

#include "level.h"

/** Methods of sending messages. All except US_TYPES pack the fields of an operation into one buffer for each
 * neighbor. */
enum UsWay {
  US_PACKED = 0,    /**< MPI_Irecv and MPI_Isend for all neighbors, MPI_Waitall */
  US_TYPES = 1,     /**< the same with derived datatypes instead of buffers */
  US_ORDERED = 2,   /* *< MPI_Sendrecv with one neighbor after the other, in pairs that do not wait for a third rank */
  US_NEIGHBOR = 3,  /**< MPI_Neighbor_alltoallv */
  US_PERSISTENT = 4 /**< MPI_Startall on persistent requests, MPI_Waitall */
};

enum { US_WAYS = 5 };

/** Names on the command line, in this order, separated by spaces. */
#define US_WAY_NAMES "packed types ordered neighbor persistent"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct UsMessages UsMessages;

/** Messages for \p fields arrays, all in one operation if \p joined, otherwise one operation for each. \p comm is a
 * graph communicator with the level's neighbors. \p level and \p arrays must outlive the result. */
UsMessages *us_messages_make(const UsLevel *level, int way, int fields, int joined, double **arrays, MPI_Comm comm);

/** Ignores NULL. */
void us_messages_free(UsMessages *messages);

/** AppMessages of app.h; \p context is a UsMessages. US_ORDERED and US_NEIGHBOR wait in us_messages_begin. */
void us_messages_begin(void *context, int first, int last);
void us_messages_end(void *context, int first, int last);

#ifdef __cplusplus
}
#endif

#endif
