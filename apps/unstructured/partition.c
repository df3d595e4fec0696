#include "partition.h"

#include <stdlib.h>

#include "common/app.h"
#include "memory.h"

#ifdef US_WITH_METIS
#include <metis.h>
#endif

typedef struct Place {
  double coordinate;
  int point;
} Place;

static int by_coordinate(const void *a, const void *b) {
  const Place *left = a;
  const Place *right = b;
  if (left->coordinate != right->coordinate) {
    return left->coordinate < right->coordinate ? -1 : 1;
  }
  return (left->point > right->point) - (left->point < right->point);
}

/* Divides the points of `places` among the ranks first .. first + ranks - 1, across the longer side of their
 * bounding box. */
static void bisect(const UsMesh *mesh, Place *places, int points, int first, int ranks, int *part) {
  if (ranks == 1) {
    for (int i = 0; i < points; ++i) {
      part[places[i].point] = first;
    }
    return;
  }
  double low[2] = {2.0, 2.0};
  double high[2] = {-1.0, -1.0};
  for (int i = 0; i < points; ++i) {
    const double at[2] = {mesh->x[places[i].point], mesh->y[places[i].point]};
    for (int d = 0; d < 2; ++d) {
      low[d] = at[d] < low[d] ? at[d] : low[d];
      high[d] = at[d] > high[d] ? at[d] : high[d];
    }
  }
  const double *along = high[0] - low[0] >= high[1] - low[1] ? mesh->x : mesh->y;
  for (int i = 0; i < points; ++i) {
    places[i].coordinate = along[places[i].point];
  }
  qsort(places, (size_t)points, sizeof(Place), by_coordinate);
  const int left_ranks = ranks / 2;
  const int left = (int)((long long)points * left_ranks / ranks);
  bisect(mesh, places, left, first, left_ranks, part);
  bisect(mesh, places + left, points - left, first + left_ranks, ranks - left_ranks, part);
}

static void by_coordinates(const UsMesh *mesh, int ranks, int *part) {
  Place *places = us_bytes((size_t)mesh->points, sizeof(Place));
  for (int i = 0; i < mesh->points; ++i) {
    places[i].point = i;
  }
  bisect(mesh, places, mesh->points, 0, ranks, part);
  free(places);
}

/* Returns true if every rank has a point. */
static int by_metis(const UsMesh *mesh, int ranks, int *part) {
#ifdef US_WITH_METIS
  idx_t n = mesh->points;
  idx_t constraints = 1;
  idx_t parts = ranks;
  idx_t cut = 0;
  const size_t edges = (size_t)mesh->begin[mesh->points];
  idx_t *begin = us_bytes((size_t)n + 1, sizeof(idx_t));
  idx_t *neighbor = us_bytes(edges, sizeof(idx_t));
  idx_t *result = us_bytes((size_t)n, sizeof(idx_t));
  int *counts = us_ints((size_t)ranks);
  for (int i = 0; i <= mesh->points; ++i) {
    begin[i] = mesh->begin[i];
  }
  for (size_t i = 0; i < edges; ++i) {
    neighbor[i] = mesh->neighbor[i];
  }
  int good = METIS_PartGraphKway(&n, &constraints, begin, neighbor, NULL, NULL, NULL, &parts, NULL, NULL, NULL, &cut,
                                 result) == METIS_OK;
  for (int i = 0; good && i < mesh->points; ++i) {
    part[i] = (int)result[i];
    ++counts[part[i]];
  }
  for (int rank = 0; rank < ranks; ++rank) {
    good = good && counts[rank] > 0;
  }
  free(begin);
  free(neighbor);
  free(result);
  free(counts);
  return good;
#else
  (void)mesh;
  (void)ranks;
  (void)part;
  return 0;
#endif
}

int us_have_metis(void) {
#ifdef US_WITH_METIS
  return 1;
#else
  return 0;
#endif
}

int us_partition(const UsMesh *mesh, int method, MPI_Comm comm, int *part) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (method == US_METIS && ranks == 1 && us_have_metis()) {
    return US_METIS; /* METIS divides by the logarithm of the number of parts; all points already have rank 0 */
  }
  if (rank == 0 && !(method == US_METIS && by_metis(mesh, ranks, part))) {
    method = US_COORDINATES;
    by_coordinates(mesh, ranks, part);
  }
  MPI_Bcast(&method, 1, MPI_INT, 0, comm);
  MPI_Bcast(part, mesh->points, MPI_INT, 0, comm);
  return method;
}
