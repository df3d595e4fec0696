#include "multigrid.h"

#include <stdlib.h>

#include "memory.h"

enum { coarsest_steps = 4 };

static const double damping = 2.0 / 3.0;

typedef struct Stage {
  UsLevel level;
  UsHalo *correction;
  double **residual; /* of the coarser levels; the finest level uses the caller's residual */
  double **image;
} Stage;

struct UsMultigrid {
  int levels;
  int fields;
  Stage stages[US_MOST_LEVELS];
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

UsMultigrid *us_multigrid_make(UsLevel finest, const UsOptions *options, const AppSettings *settings, MPI_Comm comm,
                               ADCL_Topology topology) {
  const int levels = options->levels;
  const int fields = options->fields;
  UsMultigrid *multigrid = us_bytes(1, sizeof(UsMultigrid));
  multigrid->levels = levels;
  multigrid->fields = fields;
  multigrid->stages[0].level = finest;
  for (int l = 1; l < levels; ++l) {
    multigrid->stages[l].level = us_level_coarsen(&multigrid->stages[l - 1].level, comm);
  }
  for (int l = 0; l < levels; ++l) {
    Stage *stage = &multigrid->stages[l];
    stage->correction = us_halo_make(&stage->level, options, settings, comm, topology);
    stage->residual = l > 0 ? arrays(fields, stage->level.points) : NULL;
    stage->image = arrays(fields, stage->level.points);
  }
  return multigrid;
}

void us_multigrid_free(UsMultigrid *multigrid) {
  for (int l = 0; l < multigrid->levels; ++l) {
    Stage *stage = &multigrid->stages[l];
    us_halo_free(stage->correction);
    free_arrays(stage->residual, l > 0 ? multigrid->fields : 0);
    free_arrays(stage->image, multigrid->fields);
    us_level_free(&stage->level);
  }
  free(multigrid);
}

const UsLevel *us_multigrid_finest(const UsMultigrid *multigrid) { return &multigrid->stages[0].level; }

/* correction = damping / diagonal * residual */
static void begin_jacobi(const UsMultigrid *multigrid, Stage *stage, double **residuals) {
  double **corrections = us_halo_fields(stage->correction);
  for (int f = 0; f < multigrid->fields; ++f) {
    for (int i = 0; i < stage->level.points; ++i) {
      corrections[f][i] = damping / stage->level.diagonal[i] * residuals[f][i];
    }
  }
}

/* correction += damping / diagonal * (residual - matrix * correction) */
static void jacobi(const UsMultigrid *multigrid, Stage *stage, double **residuals) {
  double **corrections = us_halo_fields(stage->correction);
  us_halo_multiply(stage->correction, stage->image);
  for (int f = 0; f < multigrid->fields; ++f) {
    for (int i = 0; i < stage->level.points; ++i) {
      corrections[f][i] += damping / stage->level.diagonal[i] * (residuals[f][i] - stage->image[f][i]);
    }
  }
}

/* Sums the remaining residual over each aggregate. */
static void restrict_residual(const UsMultigrid *multigrid, Stage *stage, double **residuals, Stage *coarser) {
  us_halo_multiply(stage->correction, stage->image);
  for (int f = 0; f < multigrid->fields; ++f) {
    double *coarse = coarser->residual[f];
    for (int i = 0; i < coarser->level.points; ++i) {
      coarse[i] = 0.0;
    }
    for (int i = 0; i < stage->level.points; ++i) {
      coarse[stage->level.aggregate[i]] += residuals[f][i] - stage->image[f][i];
    }
  }
}

static void add_coarse(const UsMultigrid *multigrid, Stage *stage, Stage *coarser) {
  double **fine = us_halo_fields(stage->correction);
  double **coarse = us_halo_fields(coarser->correction);
  for (int f = 0; f < multigrid->fields; ++f) {
    for (int i = 0; i < stage->level.points; ++i) {
      fine[f][i] += coarse[f][stage->level.aggregate[i]];
    }
  }
}

double **us_multigrid_apply(UsMultigrid *multigrid, double **residuals) {
  const int coarsest = multigrid->levels - 1;
  Stage *stages = multigrid->stages;
  for (int l = 0; l < coarsest; ++l) {
    double **mine = l == 0 ? residuals : stages[l].residual;
    begin_jacobi(multigrid, &stages[l], mine);
    restrict_residual(multigrid, &stages[l], mine, &stages[l + 1]);
  }
  double **last = coarsest == 0 ? residuals : stages[coarsest].residual;
  begin_jacobi(multigrid, &stages[coarsest], last);
  for (int step = 1; step < coarsest_steps; ++step) {
    jacobi(multigrid, &stages[coarsest], last);
  }
  for (int l = coarsest - 1; l >= 0; --l) {
    add_coarse(multigrid, &stages[l], &stages[l + 1]);
    jacobi(multigrid, &stages[l], l == 0 ? residuals : stages[l].residual);
  }
  return us_halo_fields(stages[0].correction);
}

int us_multigrid_exchanges(UsMultigrid *multigrid, AppExchange **exchanges) {
  for (int l = 0; l < multigrid->levels; ++l) {
    exchanges[l] = us_halo_exchange(multigrid->stages[l].correction);
  }
  return multigrid->levels;
}

double us_multigrid_setup_s(const UsMultigrid *multigrid) {
  double seconds = 0.0;
  for (int l = 0; l < multigrid->levels; ++l) {
    seconds += us_halo_setup_s(multigrid->stages[l].correction);
  }
  return seconds;
}
