#include "solver.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "communicate.h"
#include "memory.h"
#include "multigrid.h"
#include "partition.h"

static const double strength = 20.0;

struct UsSolver {
  UsOptions options;
  AppSettings settings;
  MPI_Comm comm;
  ADCL_Topology topology;
  UsMultigrid *multigrid;
  UsHalo *search; /* the directions p */
  AppExchange *exchanges[US_MOST_LEVELS + 1];
  int exchange_count;
  int *number; /* index in the mesh of this rank's points and halo points */
  double **solution;
  double **exact; /* with halo */
  double **right_side;
  double **residual;
  double **image;
  double *rho;          /* residual . preconditioned residual, of each field */
  double *right_square; /* |b|^2 */
  double *square;       /* |residual|^2 */
  double *sums;         /* two for each field */
  int in_step;
  UsRecord record;
};

static double **arrays(int n, int points) {
  double **result = us_bytes((size_t)n, sizeof(double *));
  for (int i = 0; i < n; ++i) {
    result[i] = us_doubles((size_t)points);
  }
  return result;
}

static void free_arrays(double **all, int n) {
  for (int i = 0; i < n; ++i) {
    free(all[i]);
  }
  free(all);
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void sum_over_ranks(const UsSolver *solver, double *values, int n) {
  MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_DOUBLE, MPI_SUM, solver->comm);
}

/* ---- Set-up ------------------------------------------------------------------------------------------------------ */

static void describe_blocks(UsSolver *solver, const UsLevel *finest) {
  int sizes[3] = {finest->points, finest->halo, 0};
  for (int n = 0; n < finest->neighbors; ++n) {
    sizes[2] = finest->send_counts[n] > sizes[2] ? finest->send_counts[n] : sizes[2];
  }
  MPI_Allreduce(MPI_IN_PLACE, sizes, 3, MPI_INT, MPI_MAX, solver->comm);
  solver->record.largest_block = sizes[0];
  solver->record.largest_halo = sizes[1];
  solver->record.largest_message = sizes[2];
}

int us_solver_fits(const UsOptions *options, MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  /* Coordinates, six neighbors and the rank; then six arrays for each field, as many in the hierarchy, and the
   * matrix. */
  const double of_mesh = 2 * sizeof(double) + 8 * sizeof(int);
  const double of_part = 12.0 * options->fields * sizeof(double) + 7 * (sizeof(double) + sizeof(int));
  return us_enough_memory(options->points * (of_mesh * ranks + of_part), comm);
}

/* Returns this rank's part of the mesh; every rank temporarily creates the whole mesh. */
static UsLevel distribute(UsSolver *solver, MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  UsMesh mesh = us_mesh_make(solver->options.points * ranks);
  int *part = us_ints((size_t)mesh.points);
  solver->record.points = mesh.points;
  solver->record.partition = us_partition(&mesh, solver->options.partition, comm, part);
  const UsLevel finest = us_level_of_mesh(&mesh, part, strength, comm, &solver->number);
  free(part);
  us_mesh_free(&mesh);
  return finest;
}

UsSolver *us_solver_make(const UsOptions *options, const AppSettings *settings, MPI_Comm comm) {
  const double begun = MPI_Wtime();
  UsSolver *solver = us_bytes(1, sizeof(UsSolver));
  solver->options = *options;
  solver->settings = *settings;
  const UsLevel finest = distribute(solver, comm);
  MPI_Dist_graph_create_adjacent(comm, finest.neighbors, finest.ranks, MPI_UNWEIGHTED, finest.neighbors, finest.ranks,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &solver->comm);
  solver->topology = ADCL_TOPOLOGY_NULL;
  const double initialized = MPI_Wtime();
  if (settings->adcl) {
    app_check(ADCL_Init());
    app_check(ADCL_Topology_create(solver->comm, 0, &solver->topology));
  }
  solver->record.exchange_setup_s = MPI_Wtime() - initialized;
  describe_blocks(solver, &finest);
  const int fields = options->fields;
  solver->multigrid = us_multigrid_make(finest, options, settings, solver->comm, solver->topology);
  solver->search =
      us_halo_make(us_multigrid_finest(solver->multigrid), options, settings, solver->comm, solver->topology);
  solver->exchanges[0] = us_halo_exchange(solver->search);
  solver->exchange_count = 1 + us_multigrid_exchanges(solver->multigrid, solver->exchanges + 1);
  solver->solution = arrays(fields, finest.points + finest.halo);
  solver->exact = arrays(fields, finest.points + finest.halo);
  solver->right_side = arrays(fields, finest.points);
  solver->residual = arrays(fields, finest.points);
  solver->image = arrays(fields, finest.points);
  solver->rho = us_doubles((size_t)fields);
  solver->right_square = us_doubles((size_t)fields);
  solver->square = us_doubles((size_t)fields);
  solver->sums = us_doubles(2 * (size_t)fields);
  solver->record.exchange_setup_s += us_halo_setup_s(solver->search) + us_multigrid_setup_s(solver->multigrid);
  solver->record.setup_s = MPI_Wtime() - begun;
  return solver;
}

void us_solver_free(UsSolver *solver) {
  const int fields = solver->options.fields;
  us_halo_free(solver->search);
  us_multigrid_free(solver->multigrid);
  free_arrays(solver->solution, fields);
  free_arrays(solver->exact, fields);
  free_arrays(solver->right_side, fields);
  free_arrays(solver->residual, fields);
  free_arrays(solver->image, fields);
  free(solver->rho);
  free(solver->right_square);
  free(solver->square);
  free(solver->sums);
  free(solver->number);
  if (solver->settings.adcl) {
    app_check(ADCL_Topology_free(&solver->topology));
    app_check(ADCL_Finalize());
  }
  MPI_Comm_free(&solver->comm);
  free(solver);
}

int us_solver_exchanges(UsSolver *solver, AppExchange *const **exchanges) {
  *exchanges = solver->exchanges;
  return solver->exchange_count;
}

/* ---- Conjugate gradients ----------------------------------------------------------------------------------------- */

/* A number from -1 to 1 for each point, field and step. Every rank can compute it, so b needs no exchange. */
static double exact_value(int number, int field, int step) {
  const uint64_t place = (uint64_t)number << 24U ^ (uint64_t)field << 16U ^ (uint64_t)step;
  return 2.0 * ((double)(app_mix(place + 1U) >> 11U) * 0x1p-53) - 1.0;
}

/* Preconditions the residuals, and computes rho and the squares of the residuals. */
static double **precondition(UsSolver *solver) {
  const int points = us_multigrid_finest(solver->multigrid)->points;
  const int fields = solver->options.fields;
  double **corrections = us_multigrid_apply(solver->multigrid, solver->residual);
  for (int f = 0; f < fields; ++f) {
    solver->sums[f] = dot(solver->residual[f], corrections[f], points);
    solver->sums[fields + f] = dot(solver->residual[f], solver->residual[f], points);
  }
  sum_over_ranks(solver, solver->sums, 2 * fields);
  return corrections;
}

static void begin_step(UsSolver *solver) {
  const UsLevel *level = us_multigrid_finest(solver->multigrid);
  const int fields = solver->options.fields;
  const size_t bytes = (size_t)level->points * sizeof(double);
  for (int f = 0; f < fields; ++f) {
    for (int i = 0; i < level->points + level->halo; ++i) {
      solver->exact[f][i] = exact_value(solver->number[i], f, solver->record.solved);
    }
    us_level_multiply(level, 0, level->points, solver->exact[f], solver->right_side[f]);
    memset(solver->solution[f], 0, bytes);
    memcpy(solver->residual[f], solver->right_side[f], bytes);
  }
  double **corrections = precondition(solver);
  for (int f = 0; f < fields; ++f) {
    solver->rho[f] = solver->sums[f];
    solver->square[f] = solver->sums[fields + f];
    solver->right_square[f] = solver->sums[fields + f];
    memcpy(us_halo_fields(solver->search)[f], corrections[f], bytes);
  }
  solver->in_step = 1;
}

/* One iteration for all fields. A field whose residual is exactly zero does not change. */
static void iterate(UsSolver *solver) {
  const int points = us_multigrid_finest(solver->multigrid)->points;
  const int fields = solver->options.fields;
  double **search = us_halo_fields(solver->search);
  us_halo_multiply(solver->search, solver->image);
  for (int f = 0; f < fields; ++f) {
    solver->sums[f] = dot(search[f], solver->image[f], points);
  }
  sum_over_ranks(solver, solver->sums, fields);
  for (int f = 0; f < fields; ++f) {
    const double alpha = solver->sums[f] != 0.0 ? solver->rho[f] / solver->sums[f] : 0.0;
    for (int i = 0; i < points; ++i) {
      solver->solution[f][i] += alpha * search[f][i];
      solver->residual[f][i] -= alpha * solver->image[f][i];
    }
  }
  double **corrections = precondition(solver);
  for (int f = 0; f < fields; ++f) {
    const double beta = solver->rho[f] != 0.0 ? solver->sums[f] / solver->rho[f] : 0.0;
    solver->rho[f] = solver->sums[f];
    solver->square[f] = solver->sums[fields + f];
    solver->record.history = app_mix_value(solver->square[f], solver->record.history);
    for (int i = 0; i < points; ++i) {
      search[f][i] = corrections[f][i] + beta * search[f][i];
    }
  }
  ++solver->record.iterations;
}

static int is_solved(const UsSolver *solver) {
  for (int f = 0; f < solver->options.fields; ++f) {
    const double tolerance = solver->options.tolerance;
    if (!(solver->square[f] <= tolerance * tolerance * solver->right_square[f])) {
      return 0;
    }
  }
  return 1;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

/* The largest residual of a field, relative to the right side, that is consistent with the recurrence. */
static double residual_limit(const UsSolver *solver, int f) {
  const double rounding = 100.0 * DBL_EPSILON * sqrt((double)solver->record.iterations + 1.0);
  return sqrt(solver->square[f] / solver->right_square[f]) * (1.0 + 1e-6) + rounding;
}

/* Computes the error of the fields: solved to the tolerance, or the state after the last iteration. */
static void check_error(UsSolver *solver, int solved) {
  const int points = us_multigrid_finest(solver->multigrid)->points;
  solver->record.error = 0.0;
  solver->record.error_limit = 0.0;
  for (int f = 0; f < solver->options.fields; ++f) {
    double sums[2] = {0.0, 0.0};
    for (int i = 0; i < points; ++i) {
      const double difference = solver->solution[f][i] - solver->exact[f][i];
      sums[0] += difference * difference;
      sums[1] += solver->exact[f][i] * solver->exact[f][i];
    }
    sum_over_ranks(solver, sums, 2);
    const double error = sqrt(sums[0] / sums[1]);
    const double reached = solved ? solver->options.tolerance : residual_limit(solver, f);
    const double limit = reached * sqrt(solver->right_square[f] / sums[1]) * (1.0 + 1e-6);
    if (!(error <= solver->record.error)) {
      solver->record.error = error;
    }
    solver->record.error_limit = fmax(solver->record.error_limit, limit);
  }
}

/* Recomputes b - A x with blocking messages, independent of the exchange under test. */
static void check_residual(UsSolver *solver) {
  const UsLevel *level = us_multigrid_finest(solver->multigrid);
  for (int f = 0; f < solver->options.fields; ++f) {
    us_fill_halo(level, solver->comm, solver->solution[f]);
    us_level_multiply(level, 0, level->points, solver->solution[f], solver->image[f]);
    double square = 0.0;
    for (int i = 0; i < level->points; ++i) {
      const double residual = solver->right_side[f][i] - solver->image[f][i];
      square += residual * residual;
    }
    sum_over_ranks(solver, &square, 1);
    const double residual = sqrt(square / solver->right_square[f]);
    const double limit = residual_limit(solver, f);
    if (f == 0 || !(residual - limit <= solver->record.residual - solver->record.residual_limit)) {
      solver->record.residual = residual;
      solver->record.residual_limit = limit;
    }
  }
}

static uint64_t checksum(const UsSolver *solver) {
  const int points = us_multigrid_finest(solver->multigrid)->points;
  uint64_t sum = 0;
  for (int f = 0; f < solver->options.fields; ++f) {
    for (int i = 0; i < points; ++i) {
      sum += app_mix_value(solver->solution[f][i], (uint64_t)solver->number[i] << 8U | (uint64_t)f);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, solver->comm);
  return sum;
}

static int is_over(const UsSolver *solver) {
  const int steps = solver->options.steps;
  if (steps > 0) {
    const int begun = solver->record.solved + 1;
    return solver->record.solved == steps || solver->record.iterations / US_MOST_ITERATIONS_PER_STEP >= begun;
  }
  return solver->record.iterations == solver->settings.iterations;
}

static double done(const UsSolver *solver) {
  const int steps = solver->options.steps;
  return steps > 0 ? (double)solver->record.solved / steps
                   : (double)solver->record.iterations / solver->settings.iterations;
}

void us_solver_run(UsSolver *solver, UsRecord *record) {
  MPI_Barrier(solver->comm);
  const double begun = MPI_Wtime();
  double checking_s = 0.0;
  while (!is_over(solver)) {
    if (!solver->in_step) {
      begin_step(solver);
    }
    iterate(solver);
    if (is_solved(solver)) {
      const double checked = MPI_Wtime();
      check_error(solver, 1);
      checking_s += MPI_Wtime() - checked;
      solver->in_step = 0;
      ++solver->record.solved;
    }
    app_progress(done(solver));
  }
  solver->record.total_s = MPI_Wtime() - begun - checking_s;
  check_residual(solver);
  if (solver->record.solved == 0) {
    check_error(solver, 0);
  }
  solver->record.solution = checksum(solver);
  *record = solver->record;
}

void us_solver_continue(UsSolver *solver, int iterations) { solver->settings.iterations += iterations; }

void us_solver_restart(UsSolver *solver) {
  solver->settings.iterations = 0;
  solver->in_step = 0;
  solver->record.iterations = 0;
  solver->record.solved = 0;
  solver->record.history = 0;
  solver->record.error_limit = 0.0;
}
