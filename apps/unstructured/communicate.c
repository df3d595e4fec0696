#include "communicate.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { tag = 900 };

static void fill(const UsLevel *level, MPI_Comm comm, MPI_Datatype type, size_t size, char *field) {
  size_t all = 0;
  for (int n = 0; n < level->neighbors; ++n) {
    all += (size_t)level->send_counts[n];
  }
  char *buffer = us_bytes(all, size);
  MPI_Request *requests = us_bytes((size_t)level->neighbors, sizeof(MPI_Request));
  for (size_t i = 0; i < all; ++i) {
    memcpy(buffer + i * size, field + (size_t)level->send_points[i] * size, size);
  }
  size_t sent = 0;
  for (int n = 0; n < level->neighbors; ++n) {
    MPI_Isend(buffer + sent * size, level->send_counts[n], type, level->ranks[n], tag, comm, &requests[n]);
    sent += (size_t)level->send_counts[n];
  }
  size_t received = (size_t)level->points;
  for (int n = 0; n < level->neighbors; ++n) {
    MPI_Recv(field + received * size, level->receive_counts[n], type, level->ranks[n], tag, comm, MPI_STATUS_IGNORE);
    received += (size_t)level->receive_counts[n];
  }
  MPI_Waitall(level->neighbors, requests, MPI_STATUSES_IGNORE);
  free(requests);
  free(buffer);
}

void us_fill_halo(const UsLevel *level, MPI_Comm comm, double *field) {
  fill(level, comm, MPI_DOUBLE, sizeof(double), (char *)field);
}

void us_fill_halo_ints(const UsLevel *level, MPI_Comm comm, int *field) {
  fill(level, comm, MPI_INT, sizeof(int), (char *)field);
}
