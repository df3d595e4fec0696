#include "halo.h"

#include <stdlib.h>

#include "memory.h"
#include "messages.h"

struct UsHalo {
  const UsLevel *level;
  int count;
  double **fields;
  double **results; /* valid during a product */
  int spoil;
  AppExchange *exchange;
  double setup_s;
  UsMessages *messages; /* for exchanges without ADCL */
  ADCL_Vmap vmap;
  ADCL_Vector *vectors;
};

enum { chunk = 4096 };

/* One ADCL request for all fields, or one for each field. */
static AppExchange *adcl_exchange(UsHalo *halo, const AppSettings *settings, ADCL_Topology topology) {
  const UsLevel *level = halo->level;
  int halo_points = level->halo;
  int *received = us_ints((size_t)halo_points);
  for (int i = 0; i < halo_points; ++i) {
    received[i] = level->points + i;
  }
  app_check(ADCL_Vmap_graph_allocate(level->neighbors, level->send_counts, level->send_points, level->neighbors,
                                     level->receive_counts, received, &halo->vmap));
  free(received);
  const size_t count = (size_t)halo->count;
  halo->vectors = us_bytes(count, sizeof(ADCL_Vector));
  ADCL_Request *requests = us_bytes(count, sizeof(ADCL_Request));
  ADCL_Vmap *vmaps = us_bytes(count, sizeof(ADCL_Vmap));
  const int extent = level->points + level->halo;
  for (int f = 0; f < halo->count; ++f) {
    app_check(ADCL_Vector_register(1, &extent, 0, MPI_DOUBLE, halo->fields[f], &halo->vectors[f]));
    vmaps[f] = halo->vmap;
    if (!settings->joined) {
      app_check(ADCL_Request_create(halo->vectors[f], halo->vmap, topology, ADCL_FNCTSET_NEIGHBORHOOD, &requests[f]));
    }
  }
  if (settings->joined) {
    app_check(ADCL_Request_create_several(halo->count, halo->vectors, vmaps, halo->vectors, vmaps, topology,
                                          ADCL_FNCTSET_NEIGHBORHOOD, &requests[0]));
  }
  AppExchange *exchange =
      app_exchange_adcl(halo->count, settings->joined ? 1 : halo->count, requests, settings->overlap);
  free(vmaps);
  free(requests);
  return exchange;
}

UsHalo *us_halo_make(const UsLevel *level, const UsOptions *options, const AppSettings *settings, MPI_Comm comm,
                     ADCL_Topology topology) {
  const int fields = options->fields;
  UsHalo *halo = us_bytes(1, sizeof(UsHalo));
  halo->level = level;
  halo->count = fields;
  halo->spoil = options->spoil;
  halo->fields = us_bytes((size_t)fields, sizeof(double *));
  for (int f = 0; f < fields; ++f) {
    halo->fields[f] = us_doubles((size_t)level->points + (size_t)level->halo);
  }
  const double begun = MPI_Wtime();
  if (settings->adcl) {
    halo->exchange = adcl_exchange(halo, settings, topology);
  } else {
    halo->messages = us_messages_make(level, options->messages, fields, settings->joined, halo->fields, comm);
    halo->exchange = app_exchange_plain(fields, settings->joined, us_messages_begin, us_messages_end, halo->messages,
                                        settings->overlap);
  }
  halo->setup_s = MPI_Wtime() - begun;
  return halo;
}

void us_halo_free(UsHalo *halo) {
  if (halo == NULL) {
    return;
  }
  app_exchange_free(halo->exchange);
  for (int f = 0; f < halo->count; ++f) {
    if (halo->vectors != NULL) {
      app_check(ADCL_Vector_deregister(&halo->vectors[f]));
    }
    free(halo->fields[f]);
  }
  if (halo->vectors != NULL) {
    app_check(ADCL_Vmap_free(&halo->vmap));
  }
  free(halo->vectors);
  free(halo->fields);
  us_messages_free(halo->messages);
  free(halo);
}

double **us_halo_fields(UsHalo *halo) { return halo->fields; }

AppExchange *us_halo_exchange(UsHalo *halo) { return halo->exchange; }

double us_halo_setup_s(const UsHalo *halo) { return halo->setup_s; }

static void multiply(void *context, int part, int first, int last) {
  UsHalo *halo = context;
  const UsLevel *level = halo->level;
  const int begin = part == APP_BOUNDARY ? level->inside : 0;
  const int end = part == APP_INSIDE ? level->inside : level->points;
  for (int f = first; f < last; ++f) {
    if (halo->spoil && part != APP_INSIDE && level->halo > 0) {
      halo->fields[f][level->points] += 1e-3;
    }
    for (int row = begin; row < end; row += chunk) {
      us_level_multiply(level, row, end - row < chunk ? end : row + chunk, halo->fields[f], halo->results[f]);
      app_exchange_progress(halo->exchange, 1);
    }
  }
}

void us_halo_multiply(UsHalo *halo, double **results) {
  halo->results = results;
  app_exchange_run(halo->exchange, multiply, halo);
}
