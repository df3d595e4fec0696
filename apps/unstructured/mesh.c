#include "mesh.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/app.h"
#include "memory.h"

/* The points of a grid, randomly displaced and numbered; a randomly chosen diagonal divides each square. */
typedef struct Grid {
  int width;
  int height;
  const int *number;
} Grid;

enum { most_neighbors = 8 };

static double chance(uint64_t place) { return (double)(app_mix(place) >> 11U) * 0x1p-53; }

/* True if the diagonal of the square goes from its lower left to its upper right corner. */
static int rises(int i, int j) { return chance(((uint64_t)i << 32U | (uint64_t)j) ^ 0x5bd1e995U) < 0.5; }

static int at(const Grid *grid, int i, int j) { return grid->number[(size_t)j * (size_t)grid->width + (size_t)i]; }

static int *random_numbers(int points) {
  int *number = us_ints((size_t)points);
  for (int i = 0; i < points; ++i) {
    number[i] = i;
  }
  for (int i = points - 1; i > 0; --i) {
    const int other = (int)(app_mix((uint64_t)i + 77U) % ((uint64_t)i + 1U));
    const int kept = number[i];
    number[i] = number[other];
    number[other] = kept;
  }
  return number;
}

static int ascending(const void *a, const void *b) {
  const int left = *(const int *)a;
  const int right = *(const int *)b;
  return (left > right) - (left < right);
}

/* Writes the neighbors of grid point (i, j) in ascending order; returns their number. */
static int neighbors_of(const Grid *grid, int i, int j, int *found) {
  int n = 0;
  for (int dj = -1; dj <= 1; ++dj) {
    for (int di = -1; di <= 1; ++di) {
      const int inside = i + di >= 0 && i + di < grid->width && j + dj >= 0 && j + dj < grid->height;
      if (!inside || (di == 0 && dj == 0)) {
        continue;
      }
      /* The square that a diagonal crosses is identified by its lower left corner. */
      const int diagonal = di != 0 && dj != 0;
      if (!diagonal || rises(i + (di < 0 ? -1 : 0), j + (dj < 0 ? -1 : 0)) == (di == dj)) {
        found[n++] = at(grid, i + di, j + dj);
      }
    }
  }
  qsort(found, (size_t)n, sizeof(int), ascending);
  return n;
}

UsMesh us_mesh_make(int points) {
  const int width = (int)fmax(1.0, floor(sqrt((double)points)));
  const int height = (points + width - 1) / width;
  UsMesh mesh = {.points = width * height};
  const size_t n = (size_t)mesh.points;
  int *number = random_numbers(mesh.points);
  const Grid grid = {.width = width, .height = height, .number = number};
  mesh.x = us_doubles(n);
  mesh.y = us_doubles(n);
  mesh.begin = us_ints(n + 1);
  mesh.neighbor = us_ints(n * most_neighbors);
  int found[most_neighbors];
  int *place = us_ints(n); /* grid position of the point with this number */
  for (int k = 0; k < mesh.points; ++k) {
    place[number[k]] = k;
  }
  for (int point = 0; point < mesh.points; ++point) {
    const int i = place[point] % width;
    const int j = place[point] / width;
    mesh.x[point] = (i + 0.5 + 0.5 * (chance(2U * (uint64_t)place[point]) - 0.5)) / width;
    mesh.y[point] = (j + 0.5 + 0.5 * (chance(2U * (uint64_t)place[point] + 1U) - 0.5)) / height;
    const int count = neighbors_of(&grid, i, j, found);
    for (int k = 0; k < count; ++k) {
      mesh.neighbor[mesh.begin[point] + k] = found[k];
    }
    mesh.begin[point + 1] = mesh.begin[point] + count;
  }
  free(place);
  free(number);
  return mesh;
}

void us_mesh_free(UsMesh *mesh) {
  free(mesh->x);
  free(mesh->y);
  free(mesh->begin);
  free(mesh->neighbor);
}

double us_mesh_weight(int a, int b) {
  const uint64_t low = (uint64_t)(a < b ? a : b);
  const uint64_t high = (uint64_t)(a < b ? b : a);
  return 0.5 + chance(high << 32U | low);
}
