#include <mpi.h>
#include <stddef.h>

#include "common/app.h"
#include "messages.h"
#include "multigrid.h"
#include "partition.h"
#include "solver.h"

static int run(int argc, char **argv) {
  UsOptions options = {.points = 20000,
                       .fields = 4,
                       .levels = 3,
                       .partition = us_have_metis() ? US_METIS : US_COORDINATES,
                       .messages = US_PACKED,
                       .tolerance = 1e-8};
  AppSettings settings = {.iterations = 500};
  app_program("unstructured",
              "steps of diffusion on an unstructured mesh of triangles, several fields at once, by conjugate\n"
              "gradients with a hierarchy of a few levels. Each level exchanges points with the same neighbors.",
              "mpirun -n 4 unstructured\n"
              "mpirun -n 4 unstructured --points 2000 --fields 8 --exchange plain\n"
              "mpirun -n 2 unstructured --overlap init --json run.json");
  app_option("--points", "N", 1, 1, 10000000, &options.points, "points of the mesh per process");
  app_option("--fields", "N", 1, 1, 100, &options.fields, "fields that are solved together");
  app_option("--levels", "N", 1, 1, US_MOST_LEVELS, &options.levels, "levels of the hierarchy");
  app_option_word("--partition", us_have_metis() ? "metis coordinates" : "none coordinates", &options.partition,
                  "method that partitions the mesh");
  app_option_word("--messages", US_WAY_NAMES, &options.messages, "with plain MPI: method of sending messages");
  app_option_real("--tolerance", "EPS", 1e-12, 1.0, &options.tolerance,
                  "a step is solved when its residuals are below EPS times the right sides");
  app_steps(&options.steps);
  const int code = app_begin(argc, argv, &settings);
  if (code != APP_RUN) {
    return code;
  }
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (options.points > US_MOST_POINTS / ranks) {
    return app_usage(
        "--points is too large for this number of ranks: the whole mesh can have at most 200000000 points");
  }
  if (!us_solver_fits(&options, MPI_COMM_WORLD)) {
    return app_usage("there is not enough memory for this number of points; change --points or --fields");
  }
  UsSolver *solver = us_solver_make(&options, &settings, MPI_COMM_WORLD);
  UsRecord record;
  us_solver_run(solver, &record);
  app_report_whole("points", "points", record.points);
  app_report_text("partition", "partition", record.partition == US_METIS ? "metis" : "coordinates");
  app_report_whole("largest_block", "largest block", record.largest_block);
  app_report_whole("largest_halo", "largest halo", record.largest_halo);
  app_report_whole("fields", "fields", options.fields);
  app_report_whole("levels", "levels", options.levels);
  app_report_whole("iterations", "iterations", record.iterations);
  app_report_whole("steps", "steps solved", record.solved);
  if (options.steps > 0) {
    app_report_check("unsolved", "steps not solved", options.steps - record.solved, 0.0);
  }
  app_report_check("residual", "residual", record.residual, record.residual_limit);
  app_report_check("error", "error", record.error, record.error_limit);
  app_report_checksum("solution", "checksum", record.solution);
  app_report_checksum("history", "history", record.history);
  AppExchange *const *exchanges = NULL;
  const int n = us_solver_exchanges(solver, &exchanges);
  const int result = app_finish(record.setup_s, record.total_s, n, exchanges);
  us_solver_free(solver);
  return result;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int code = run(argc, argv);
  MPI_Finalize();
  return code;
}
