#include "messages.h"

#include <stdlib.h>

#include "memory.h"

/* Fields from first to last - 1, which share one message to each neighbor. */
typedef struct Operation {
  int first;
  int last;
  double *sent; /* buffers, one neighbor after the other */
  double *received;
  int *send_counts; /* number and displacement of the values for and from each neighbor */
  int *send_begins;
  int *receive_counts;
  int *receive_begins;
  MPI_Datatype *types;   /* US_TYPES: received from each neighbor, then sent; absolute addresses */
  MPI_Request *requests; /* receives, then sends */
} Operation;

struct UsMessages {
  const UsLevel *level;
  int way;
  int operation_count;
  double **fields;
  MPI_Comm comm;
  int *order;       /* of neighbors, for US_ORDERED */
  int *send_places; /* first entry of each neighbor in the level's send_points */
  int *halo_places; /* first halo point of each neighbor in a field */
  Operation *operations;
};

enum { tag = 901 };

/* ---- Buffers ----------------------------------------------------------------------------------------------------- */

static void pack(const UsMessages *messages, const Operation *operation, int n) {
  const int *points = messages->level->send_points + messages->send_places[n];
  const int count = messages->level->send_counts[n];
  double *at = operation->sent + operation->send_begins[n];
  for (int f = operation->first; f < operation->last; ++f) {
    const double *field = messages->fields[f];
    for (int i = 0; i < count; ++i) {
      *at++ = field[points[i]];
    }
  }
}

static void unpack(const UsMessages *messages, const Operation *operation, int n) {
  const int count = messages->level->receive_counts[n];
  const double *at = operation->received + operation->receive_begins[n];
  for (int f = operation->first; f < operation->last; ++f) {
    double *field = messages->fields[f] + messages->halo_places[n];
    for (int i = 0; i < count; ++i) {
      field[i] = *at++;
    }
  }
}

static void pack_all(const UsMessages *messages, const Operation *operation) {
  for (int n = 0; n < messages->level->neighbors; ++n) {
    pack(messages, operation, n);
  }
}

static void unpack_all(const UsMessages *messages, const Operation *operation) {
  for (int n = 0; n < messages->level->neighbors; ++n) {
    unpack(messages, operation, n);
  }
}

/* ---- Methods
 * ------------------------------------------------------------------------------------------------------- */

static void begin_packed(const UsMessages *messages, Operation *operation) {
  const UsLevel *level = messages->level;
  for (int n = 0; n < level->neighbors; ++n) {
    MPI_Irecv(operation->received + operation->receive_begins[n], operation->receive_counts[n], MPI_DOUBLE,
              level->ranks[n], tag, messages->comm, &operation->requests[n]);
  }
  for (int n = 0; n < level->neighbors; ++n) {
    pack(messages, operation, n);
    MPI_Isend(operation->sent + operation->send_begins[n], operation->send_counts[n], MPI_DOUBLE, level->ranks[n], tag,
              messages->comm, &operation->requests[level->neighbors + n]);
  }
}

static void begin_types(const UsMessages *messages, Operation *operation) {
  const UsLevel *level = messages->level;
  for (int n = 0; n < level->neighbors; ++n) {
    MPI_Irecv(MPI_BOTTOM, 1, operation->types[n], level->ranks[n], tag, messages->comm, &operation->requests[n]);
  }
  for (int n = 0; n < level->neighbors; ++n) {
    MPI_Isend(MPI_BOTTOM, 1, operation->types[level->neighbors + n], level->ranks[n], tag, messages->comm,
              &operation->requests[level->neighbors + n]);
  }
}

static void exchange_in_order(const UsMessages *messages, Operation *operation) {
  const UsLevel *level = messages->level;
  for (int i = 0; i < level->neighbors; ++i) {
    const int n = messages->order[i];
    pack(messages, operation, n);
    MPI_Sendrecv(operation->sent + operation->send_begins[n], operation->send_counts[n], MPI_DOUBLE, level->ranks[n],
                 tag, operation->received + operation->receive_begins[n], operation->receive_counts[n], MPI_DOUBLE,
                 level->ranks[n], tag, messages->comm, MPI_STATUS_IGNORE);
    unpack(messages, operation, n);
  }
}

static void exchange_with_neighbors(const UsMessages *messages, Operation *operation) {
  pack_all(messages, operation);
  MPI_Neighbor_alltoallv(operation->sent, operation->send_counts, operation->send_begins, MPI_DOUBLE,
                         operation->received, operation->receive_counts, operation->receive_begins, MPI_DOUBLE,
                         messages->comm);
  unpack_all(messages, operation);
}

static void begin_persistent(const UsMessages *messages, Operation *operation) {
  const int neighbors = messages->level->neighbors;
  MPI_Startall(neighbors, operation->requests);
  pack_all(messages, operation);
  MPI_Startall(neighbors, operation->requests + neighbors);
}

static Operation *operation_of(UsMessages *messages, int first) {
  return &messages->operations[messages->operation_count == 1 ? 0 : first];
}

void us_messages_begin(void *context, int first, int last) {
  (void)last;
  UsMessages *messages = context;
  Operation *operation = operation_of(messages, first);
  switch (messages->way) {
    case US_TYPES:
      begin_types(messages, operation);
      break;
    case US_ORDERED:
      exchange_in_order(messages, operation);
      break;
    case US_NEIGHBOR:
      exchange_with_neighbors(messages, operation);
      break;
    case US_PERSISTENT:
      begin_persistent(messages, operation);
      break;
    default:
      begin_packed(messages, operation);
      break;
  }
}

void us_messages_end(void *context, int first, int last) {
  (void)last;
  UsMessages *messages = context;
  Operation *operation = operation_of(messages, first);
  if (messages->way == US_ORDERED || messages->way == US_NEIGHBOR) {
    return;
  }
  MPI_Waitall(2 * messages->level->neighbors, operation->requests, MPI_STATUSES_IGNORE);
  if (messages->way != US_TYPES) {
    unpack_all(messages, operation);
  }
}

/* ---- Set-up ------------------------------------------------------------------------------------------------------ */

/* Computes counts and displacements of each neighbor's values for all fields; returns the total number of values. */
static size_t compute_displacements(int neighbors, const int *points, int fields, int *counts, int *begins) {
  size_t all = 0;
  for (int n = 0; n < neighbors; ++n) {
    counts[n] = fields * points[n];
    begins[n] = (int)all;
    all += (size_t)counts[n];
  }
  return all;
}

static MPI_Datatype type_of(int count, const MPI_Aint *places, int length) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed_block(count, length, places, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static void make_types(const UsMessages *messages, Operation *operation) {
  const UsLevel *level = messages->level;
  const int fields = operation->last - operation->first;
  for (int n = 0; n < level->neighbors; ++n) {
    const int count = level->send_counts[n];
    const int *points = level->send_points + messages->send_places[n];
    MPI_Aint *places = us_bytes((size_t)fields * (size_t)(count > 0 ? count : 1), sizeof(MPI_Aint));
    for (int f = 0; f < fields; ++f) {
      MPI_Get_address(messages->fields[operation->first + f] + messages->halo_places[n], &places[f]);
    }
    operation->types[n] = type_of(fields, places, level->receive_counts[n]);
    for (int f = 0; f < fields; ++f) {
      for (int i = 0; i < count; ++i) {
        MPI_Get_address(messages->fields[operation->first + f] + points[i], &places[f * count + i]);
      }
    }
    operation->types[level->neighbors + n] = type_of(fields * count, places, 1);
    free(places);
  }
}

static void make_persistent(const UsMessages *messages, Operation *operation) {
  const UsLevel *level = messages->level;
  for (int n = 0; n < level->neighbors; ++n) {
    MPI_Recv_init(operation->received + operation->receive_begins[n], operation->receive_counts[n], MPI_DOUBLE,
                  level->ranks[n], tag, messages->comm, &operation->requests[n]);
    MPI_Send_init(operation->sent + operation->send_begins[n], operation->send_counts[n], MPI_DOUBLE, level->ranks[n],
                  tag, messages->comm, &operation->requests[level->neighbors + n]);
  }
}

static Operation make_operation(const UsMessages *messages, int first, int last) {
  const UsLevel *level = messages->level;
  const size_t neighbors = (size_t)level->neighbors;
  Operation operation = {.first = first, .last = last};
  operation.send_counts = us_ints(neighbors);
  operation.send_begins = us_ints(neighbors);
  operation.receive_counts = us_ints(neighbors);
  operation.receive_begins = us_ints(neighbors);
  operation.requests = us_bytes(2 * neighbors, sizeof(MPI_Request));
  const size_t sent = compute_displacements(level->neighbors, level->send_counts, last - first, operation.send_counts,
                                            operation.send_begins);
  const size_t received = compute_displacements(level->neighbors, level->receive_counts, last - first,
                                                operation.receive_counts, operation.receive_begins);
  if (messages->way == US_TYPES) {
    operation.types = us_bytes(2 * neighbors, sizeof(MPI_Datatype));
    make_types(messages, &operation);
  } else {
    operation.sent = us_doubles(sent);
    operation.received = us_doubles(received);
  }
  if (messages->way == US_PERSISTENT) {
    make_persistent(messages, &operation);
  }
  return operation;
}

/* In round r, ranks a and b are partners if a + b = r modulo the number of ranks: each rank has at most one partner
 * per round, and each pair is in one round. Returns the neighbors in the order of their rounds. */
static int *pairing_order(const UsLevel *level, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  int *order = us_ints((size_t)level->neighbors);
  int count = 0;
  for (int round = 0; round < ranks; ++round) {
    const int partner = (round - rank + ranks) % ranks;
    for (int n = 0; n < level->neighbors; ++n) {
      if (level->ranks[n] == partner) {
        order[count++] = n;
      }
    }
  }
  return order;
}

UsMessages *us_messages_make(const UsLevel *level, int way, int fields, int joined, double **arrays, MPI_Comm comm) {
  UsMessages *messages = us_bytes(1, sizeof(UsMessages));
  messages->level = level;
  messages->way = way;
  messages->fields = arrays;
  messages->comm = comm;
  messages->order = pairing_order(level, comm);
  messages->send_places = us_ints((size_t)level->neighbors);
  messages->halo_places = us_ints((size_t)level->neighbors);
  int sent = 0;
  int place = level->points;
  for (int n = 0; n < level->neighbors; ++n) {
    messages->send_places[n] = sent;
    messages->halo_places[n] = place;
    sent += level->send_counts[n];
    place += level->receive_counts[n];
  }
  messages->operation_count = joined ? 1 : fields;
  messages->operations = us_bytes((size_t)messages->operation_count, sizeof(Operation));
  for (int i = 0; i < messages->operation_count; ++i) {
    messages->operations[i] = make_operation(messages, joined ? 0 : i, joined ? fields : i + 1);
  }
  return messages;
}

static void free_operation(const UsMessages *messages, Operation *operation) {
  for (int i = 0; i < 2 * messages->level->neighbors; ++i) {
    if (messages->way == US_TYPES) {
      MPI_Type_free(&operation->types[i]);
    } else if (messages->way == US_PERSISTENT) {
      MPI_Request_free(&operation->requests[i]);
    }
  }
  free(operation->sent);
  free(operation->received);
  free(operation->send_counts);
  free(operation->send_begins);
  free(operation->receive_counts);
  free(operation->receive_begins);
  free(operation->types);
  free(operation->requests);
}

void us_messages_free(UsMessages *messages) {
  if (messages == NULL) {
    return;
  }
  for (int i = 0; i < messages->operation_count; ++i) {
    free_operation(messages, &messages->operations[i]);
  }
  free(messages->operations);
  free(messages->order);
  free(messages->send_places);
  free(messages->halo_places);
  free(messages);
}
