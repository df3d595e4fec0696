/* ranks: 1 2 3 4
 * timeout: 120
 * valgrind: 2
 * not smpi: its library is linked statically, and the calls below cannot be replaced
 * Plans that a request keeps after the decision: the winner's plan and plans that another mode still needs, but no
 * plan for a former address of the array. A request that cannot create the plan of a shared search's winner runs the
 * best other candidate. If no plan can be created, the error states the reason. */
#include "harness.h"

enum { points = 8, per_plan = 4 /* persistent requests: two neighbors, in and out */ };

static MPI_Comm ring;
static int before, after;
static int made, freed, refusing;

int MPI_Send_init(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *req) {
  if (refusing) {
    return MPI_ERR_OTHER;
  }
  ++made;
  return PMPI_Send_init(buf, count, type, dest, tag, comm, req);
}

int MPI_Recv_init(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *req) {
  ++made;
  return PMPI_Recv_init(buf, count, type, source, tag, comm, req);
}

int MPI_Request_free(MPI_Request *request) {
  ++freed;
  return PMPI_Request_free(request);
}

static void fill(double *line, int round) {
  for (int i = 0; i < points; ++i) {
    line[i] = 100.0 * harness_rank() + i + round;
  }
}

static int halo_is_right(const double *line, int round) {
  return line[0] == 100.0 * before + points - 2 + round && line[points - 1] == 100.0 * after + 1 + round;
}

static int round_number;

/* One exchange with a check; the test sets the times of the three codelets. */
static void exchange(ADCL_Request request, double *line, int split, double aao_s, double pack_s, double persist_s) {
  fill(line, ++round_number);
  if (split) {
    OK(ADCL_Request_init(request));
    OK(ADCL_Request_wait(request));
  } else {
    OK(ADCL_Request_start(request));
  }
  CHECK(halo_is_right(line, round_number));
  OK(ADCL_Request_update(
      request, current_is(request, "IsIr_aao") ? aao_s : (current_is(request, "Persist_aao") ? persist_s : pack_s)));
}

static void decide(ADCL_Request request, double *line, int split, double aao_s, double pack_s, double persist_s) {
  exchange(request, line, split, aao_s, pack_s, persist_s);
  for (int i = 0; i < 100 && is_searching(request); ++i) {
    exchange(request, line, split, aao_s, pack_s, persist_s);
  }
  CHECK(!is_searching(request));
}

static ADCL_Request halo(double *line) {
  const int dims[1] = {points};
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Halo_init(ADCL_HALO(line, 1, dims, 0, 1, MPI_DOUBLE), ring, &request));
  made = freed = 0;
  return request;
}

static void losers_are_freed(int split) {
  double line[points];
  ADCL_Request request = halo(line);
  decide(request, line, split, 0.1, 0.2, 0.3);
  CHECK(winner_is(request, "IsIr_aao"));
  CHECK(made == per_plan && freed == made);
  OK(ADCL_Request_free(&request));
}

/* A reopened search creates plans again, and frees the losers' plans again. */
static void losers_are_freed_again(int split) {
  double line[points];
  ADCL_Request request = halo(line);
  decide(request, line, split, 0.1, 0.2, 0.3);
  OK(ADCL_Request_verify(request));
  decide(request, line, split, 0.5, 0.6, 0.7);
  CHECK(winner_is(request, "IsIr_aao"));
  CHECK(made == 2 * per_plan && freed == made);
  OK(ADCL_Request_verify(request));
  decide(request, line, split, 0.9, 0.8, 0.7);
  CHECK(winner_is(request, "Persist_aao"));
  CHECK(made == 3 * per_plan && freed == 2 * per_plan);
  OK(ADCL_Request_free(&request));
  CHECK(freed == made);
}

static void winner_is_kept(int split) {
  double line[points];
  ADCL_Request request = halo(line);
  decide(request, line, split, 0.3, 0.2, 0.1);
  CHECK(winner_is(request, "Persist_aao"));
  for (int i = 0; i < 5; ++i) {
    exchange(request, line, split, 0.3, 0.2, 0.1);
  }
  CHECK(made == per_plan && freed == 0);
  OK(ADCL_Request_free(&request));
  CHECK(freed == made);
}

/* One mode has decided while the other still searches: the plans of the latter's candidates stay until it has also
 * decided. */
static void plans_of_other_mode_are_kept(int split) {
  double line[points];
  ADCL_Request request = halo(line);
  for (int i = 0; i < 7; ++i) {
    exchange(request, line, !split, 0.1, 0.2, 0.3);
  }
  CHECK(current_is(request, "Persist_aao") && made == per_plan);
  decide(request, line, split, 0.1, 0.2, 0.3);
  CHECK(made == per_plan && freed == 0);
  decide(request, line, !split, 0.1, 0.2, 0.3);
  CHECK(made == per_plan && freed == per_plan);
  OK(ADCL_Request_free(&request));
}

/* The last rank cannot create the winner's plan for the second request: no rank runs the winner. */
static void winner_cannot_be_made(int split) {
  double line[points], other[points];
  ADCL_Request first = halo(line);
  ADCL_Request second = halo(other);
  decide(first, line, split, 0.3, 0.2, 0.1);
  refusing = harness_rank() == harness_size() - 1;
  for (int i = 0; i < 3; ++i) {
    exchange(second, other, split, 0.3, 0.2, 0.1);
    CHECK(current_is(second, "IsIr_aao_pack") && winner_is(second, "IsIr_aao_pack"));
    exchange(first, line, split, 0.3, 0.2, 0.1);
    CHECK(current_is(first, "Persist_aao") && winner_is(first, "Persist_aao"));
  }
  refusing = 0;
  OK(ADCL_Request_free(&first));
  OK(ADCL_Request_free(&second));
}

/* No plan can be created: on all ranks, the message contains the reason for each codelet, from any rank. */
static void no_plan_can_be_made(int split) {
  double line[points];
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:Persist_aao,Persist_aao_pack"));
  request = halo(line);
  refusing = harness_rank() == harness_size() - 1;
  for (int i = 0; i < 2; ++i) {
    const int code = split ? ADCL_Request_init(request) : ADCL_Request_start(request);
    CHECK(code == ADCL_ERR_NO_CODELET);
    CHECK(strstr(ADCL_Last_error(), "Persist_aao: ") != NULL);
    CHECK(strstr(ADCL_Last_error(), "Persist_aao_pack: ") != NULL);
    CHECK(strstr(ADCL_Last_error(), "MPI_Send_init") != NULL);
    CHECK(strstr(ADCL_Last_error(), "IsIr_aao: excluded by ADCL_CODELETS") != NULL);
  }
  refusing = 0;
  OK(ADCL_Request_free(&request));
}

/* The array moves at each third start: no plan may use its old address, whose contents must not change. */
static int count_wrong_moves(const char *codelets, int split, int rounds) {
  const int dims[1] = {points};
  double places[2][points];
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Request request = ADCL_REQUEST_NULL;
  int code;
  OK(ADCL_Option_set("ADCL_CODELETS", codelets));
  OK(ADCL_Vector_register(1, dims, 0, MPI_DOUBLE, places[0], &vec));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Topology_create(ring, 0, &topo));
  code = ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request);
  CHECK(code == ADCL_SUCCESS || code == ADCL_ERR_NO_CODELET);
  for (int round = 0; code == ADCL_SUCCESS && round < rounds; ++round) {
    double *line = places[round / 3 % 2];
    double *old = places[1 - round / 3 % 2];
    if (round > 0 && round % 3 == 0) {
      OK(ADCL_Vector_rebind(vec, line));
    }
    fill(line, round);
    fill(old, -1000);
    if (split) {
      code = ADCL_Request_init(request);
      CHECK(code == ADCL_SUCCESS || (code == ADCL_ERR_NO_CODELET && round == 0));
      if (code == ADCL_SUCCESS) {
        OK(ADCL_Request_wait(request));
      }
    } else {
      OK(ADCL_Request_start(request));
    }
    CHECK(code != ADCL_SUCCESS || halo_is_right(line, round));
    for (int i = 0; i < points; ++i) {
      CHECK(old[i] == 100.0 * harness_rank() + i - 1000);
    }
  }
  if (request != ADCL_REQUEST_NULL) {
    OK(ADCL_Request_free(&request));
  }
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_deregister(&vec));
  return code == ADCL_SUCCESS;
}

static void bound_plans_move(void) {
  static const char *const bound[] = {
      "Persist_aao",       "Persist_aao_pack",  "WinfencePut_aao",         "WinfenceGet_pair", "PostStartPut_aao",
      "PostStartGet_pair", "PassivePut_notify", "Neighbor_alltoallw_init", "Partitioned",      "IsIr_aao"};
  const int n = (int)(sizeof bound / sizeof *bound);
  char all[512] = "neighborhood:";
  int started = 0, split = 0;
  for (int i = 0; i < n; ++i) {
    char one[128];
    snprintf(one, sizeof one, "neighborhood:%s", bound[i]);
    started += count_wrong_moves(one, 0, 10);
    split += count_wrong_moves(one, 1, 10);
    strcat(strcat(all, i == 0 ? "" : ","), bound[i]);
  }
  CHECK(started >= 3 && split >= 3);
  CHECK(count_wrong_moves(all, 0, 60));
  CHECK(count_wrong_moves(all, 1, 60));
}

int main(int argc, char **argv) {
  const int periods[1] = {1};
  int size;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "3"));
  size = harness_size();
  before = (harness_rank() + size - 1) % size;
  after = (harness_rank() + 1) % size;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 0, &ring);
  for (int split = 0; split < 2; ++split) {
    OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack,Persist_aao"));
    losers_are_freed(split);
    losers_are_freed_again(split);
    winner_is_kept(split);
    plans_of_other_mode_are_kept(split);
    winner_cannot_be_made(split);
    no_plan_can_be_made(split);
  }
  bound_plans_move();
  MPI_Comm_free(&ring);
  OK(ADCL_Finalize());
  return harness_verdict();
}
