#include "level.h"

#include <stdlib.h>
#include <string.h>

#include "communicate.h"
#include "memory.h"

/* ---- The finest level -------------------------------------------------------------------------------------------- */

/* True if `point` has a neighbor on `rank`. */
static int touches(const UsMesh *mesh, const int *part, int point, int rank) {
  for (int k = mesh->begin[point]; k < mesh->begin[point + 1]; ++k) {
    if (part[mesh->neighbor[k]] == rank) {
      return 1;
    }
  }
  return 0;
}

static int is_inside(const UsMesh *mesh, const int *part, int point) {
  for (int k = mesh->begin[point]; k < mesh->begin[point + 1]; ++k) {
    if (part[mesh->neighbor[k]] != part[point]) {
      return 0;
    }
  }
  return 1;
}

/* Numbers this rank's points, interior points first, and then each neighbor's halo points. */
static int *number_points(const UsMesh *mesh, const int *part, int rank, UsLevel *level, int *local) {
  int *number = us_ints((size_t)mesh->points);
  for (int wanted = 1; wanted >= 0; --wanted) {
    for (int point = 0; point < mesh->points; ++point) {
      if (part[point] == rank && is_inside(mesh, part, point) == wanted) {
        local[point] = level->points;
        number[level->points++] = point;
      }
    }
    level->inside = wanted == 1 ? level->points : level->inside;
  }
  level->send_points = us_ints((size_t)level->neighbors * (size_t)(level->points - level->inside));
  int sent = 0;
  for (int n = 0; n < level->neighbors; ++n) {
    for (int point = 0; point < mesh->points; ++point) {
      if (part[point] == rank && touches(mesh, part, point, level->ranks[n])) {
        level->send_points[sent++] = local[point];
        ++level->send_counts[n];
      } else if (part[point] == level->ranks[n] && touches(mesh, part, point, rank)) {
        local[point] = level->points + level->halo;
        number[level->points + level->halo++] = point;
        ++level->receive_counts[n];
      }
    }
  }
  return number;
}

static void find_neighbors(const UsMesh *mesh, const int *part, int rank, int ranks, UsLevel *level) {
  char *found = us_bytes((size_t)ranks, 1);
  for (int point = 0; point < mesh->points; ++point) {
    for (int k = mesh->begin[point]; part[point] == rank && k < mesh->begin[point + 1]; ++k) {
      found[part[mesh->neighbor[k]]] = 1;
    }
  }
  found[rank] = 0;
  level->ranks = us_ints((size_t)ranks);
  for (int other = 0; other < ranks; ++other) {
    if (found[other]) {
      level->ranks[level->neighbors++] = other;
    }
  }
  free(found);
  level->send_counts = us_ints((size_t)level->neighbors);
  level->receive_counts = us_ints((size_t)level->neighbors);
}

UsLevel us_level_of_mesh(const UsMesh *mesh, const int *part, double strength, MPI_Comm comm, int **number) {
  UsLevel level = {0};
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  find_neighbors(mesh, part, rank, ranks, &level);
  int *local = us_ints((size_t)mesh->points);
  *number = number_points(mesh, part, rank, &level, local);

  size_t entries = 0;
  for (int row = 0; row < level.points; ++row) {
    entries += (size_t)(mesh->begin[(*number)[row] + 1] - mesh->begin[(*number)[row]]);
  }
  level.begin = us_ints((size_t)level.points + 1);
  level.column = us_ints(entries);
  level.value = us_doubles(entries);
  level.diagonal = us_doubles((size_t)level.points);
  int entry = 0;
  for (int row = 0; row < level.points; ++row) {
    const int point = (*number)[row];
    double sum = 1.0;
    for (int k = mesh->begin[point]; k < mesh->begin[point + 1]; ++k) {
      const double weight = strength * us_mesh_weight(point, mesh->neighbor[k]);
      level.column[entry] = local[mesh->neighbor[k]];
      level.value[entry++] = -weight;
      sum += weight;
    }
    level.diagonal[row] = sum;
    level.begin[row + 1] = entry;
  }
  free(local);
  return level;
}

/* ---- Coarser levels ---------------------------------------------------------------------------------------------- */

/* Combines each free point with its free neighbors into an aggregate, in the order of the points; returns the number
 * of aggregates. */
static int aggregate(const UsLevel *fine, int *aggregate_of) {
  int aggregates = 0;
  for (int row = 0; row < fine->points; ++row) {
    aggregate_of[row] = -1;
  }
  for (int row = 0; row < fine->points; ++row) {
    if (aggregate_of[row] >= 0) {
      continue;
    }
    aggregate_of[row] = aggregates;
    for (int k = fine->begin[row]; k < fine->begin[row + 1]; ++k) {
      const int other = fine->column[k];
      if (other < fine->points && aggregate_of[other] < 0) {
        aggregate_of[other] = aggregates;
      }
    }
    ++aggregates;
  }
  return aggregates;
}

/* Renumbers the aggregates: aggregates without a boundary point come first. Returns their number. */
static int inside_first(const UsLevel *fine, int aggregates, int *aggregate_of) {
  char *at_boundary = us_bytes((size_t)aggregates, 1);
  int *renamed = us_ints((size_t)aggregates);
  for (int row = fine->inside; row < fine->points; ++row) {
    at_boundary[aggregate_of[row]] = 1;
  }
  int next = 0;
  int inside = 0;
  for (int wanted = 0; wanted <= 1; ++wanted) {
    for (int i = 0; i < aggregates; ++i) {
      if (at_boundary[i] == wanted) {
        renamed[i] = next++;
      }
    }
    inside = wanted == 0 ? next : inside;
  }
  for (int row = 0; row < fine->points; ++row) {
    aggregate_of[row] = renamed[aggregate_of[row]];
  }
  free(renamed);
  free(at_boundary);
  return inside;
}

static int ascending(const void *a, const void *b) {
  const int left = *(const int *)a;
  const int right = *(const int *)b;
  return (left > right) - (left < right);
}

/* Sorts `n` numbers and removes duplicates; returns the number of distinct numbers. */
static int distinct(int *numbers, int n) {
  qsort(numbers, (size_t)n, sizeof(int), ascending);
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    if (kept == 0 || numbers[kept - 1] != numbers[i]) {
      numbers[kept++] = numbers[i];
    }
  }
  return kept;
}

/* The messages of the coarse level contain the aggregates of the points in the messages of the fine level. Both
 * sides sort them by the owner's numbers. Replaces the owner's numbers of halo points in `aggregate_of` by positions
 * in this rank's halo. */
static void coarsen_messages(const UsLevel *fine, int *aggregate_of, UsLevel *coarse) {
  const size_t neighbors = (size_t)fine->neighbors;
  coarse->neighbors = fine->neighbors;
  coarse->ranks = us_ints(neighbors);
  coarse->send_counts = us_ints(neighbors);
  coarse->receive_counts = us_ints(neighbors);
  memcpy(coarse->ranks, fine->ranks, neighbors * sizeof(int));
  size_t all = 0;
  for (int n = 0; n < fine->neighbors; ++n) {
    all += (size_t)fine->send_counts[n];
  }
  coarse->send_points = us_ints(all);
  int *received = us_ints((size_t)fine->halo);
  const int *fine_sent = fine->send_points;
  int *fine_received = aggregate_of + fine->points;
  int *sent = coarse->send_points;
  for (int n = 0; n < fine->neighbors; ++n) {
    for (int i = 0; i < fine->send_counts[n]; ++i) {
      sent[i] = aggregate_of[fine_sent[i]];
    }
    coarse->send_counts[n] = distinct(sent, fine->send_counts[n]);
    sent += coarse->send_counts[n];
    fine_sent += fine->send_counts[n];

    memcpy(received, fine_received, (size_t)fine->receive_counts[n] * sizeof(int));
    const int count = distinct(received, fine->receive_counts[n]);
    for (int i = 0; i < fine->receive_counts[n]; ++i) {
      const int *place = bsearch(&fine_received[i], received, (size_t)count, sizeof(int), ascending);
      fine_received[i] = coarse->points + coarse->halo + (int)(place - received);
    }
    coarse->receive_counts[n] = count;
    coarse->halo += count;
    fine_received += fine->receive_counts[n];
  }
  free(received);
}

/* Sums the entries of the rows of each aggregate. */
static void coarsen_matrix(const UsLevel *fine, const int *aggregate_of, UsLevel *coarse) {
  const size_t points = (size_t)coarse->points;
  int *members_begin = us_ints(points + 1);
  int *members = us_ints((size_t)fine->points);
  int *fill = us_ints(points);
  for (int row = 0; row < fine->points; ++row) {
    ++members_begin[aggregate_of[row] + 1];
  }
  for (size_t i = 0; i < points; ++i) {
    members_begin[i + 1] += members_begin[i];
  }
  for (int row = 0; row < fine->points; ++row) {
    const int mine = aggregate_of[row];
    members[members_begin[mine] + fill[mine]++] = row;
  }
  const size_t entries = (size_t)fine->begin[fine->points];
  coarse->begin = us_ints(points + 1);
  coarse->column = us_ints(entries);
  coarse->value = us_doubles(entries);
  coarse->diagonal = us_doubles(points);
  int *entry_of = us_ints(points + (size_t)coarse->halo); /* 1 + index of the column's entry; valid if in this row */
  int entry = 0;
  for (int mine = 0; mine < coarse->points; ++mine) {
    for (int m = members_begin[mine]; m < members_begin[mine + 1]; ++m) {
      const int row = members[m];
      coarse->diagonal[mine] += fine->diagonal[row];
      for (int k = fine->begin[row]; k < fine->begin[row + 1]; ++k) {
        const int other = aggregate_of[fine->column[k]];
        if (other == mine) {
          coarse->diagonal[mine] += fine->value[k];
          continue;
        }
        if (entry_of[other] <= coarse->begin[mine]) {
          coarse->column[entry] = other;
          entry_of[other] = ++entry;
        }
        coarse->value[entry_of[other] - 1] += fine->value[k];
      }
    }
    coarse->begin[mine + 1] = entry;
  }
  free(entry_of);
  free(fill);
  free(members);
  free(members_begin);
}

UsLevel us_level_coarsen(UsLevel *fine, MPI_Comm comm) {
  UsLevel coarse = {0};
  int *aggregate_of = us_ints((size_t)fine->points + (size_t)fine->halo);
  coarse.points = aggregate(fine, aggregate_of);
  coarse.inside = inside_first(fine, coarse.points, aggregate_of);
  us_fill_halo_ints(fine, comm, aggregate_of);
  coarsen_messages(fine, aggregate_of, &coarse);
  coarsen_matrix(fine, aggregate_of, &coarse);
  fine->aggregate = aggregate_of;
  return coarse;
}

void us_level_free(UsLevel *level) {
  free(level->begin);
  free(level->column);
  free(level->value);
  free(level->diagonal);
  free(level->ranks);
  free(level->send_counts);
  free(level->send_points);
  free(level->receive_counts);
  free(level->aggregate);
}

void us_level_multiply(const UsLevel *level, int first, int last, const double *field, double *result) {
  for (int row = first; row < last; ++row) {
    double sum = level->diagonal[row] * field[row];
    for (int k = level->begin[row]; k < level->begin[row + 1]; ++k) {
      sum += level->value[k] * field[level->column[k]];
    }
    result[row] = sum;
  }
}
