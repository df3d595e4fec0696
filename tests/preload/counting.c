/* An interposer in front of MPI: it counts the calls of the program and the calls of ADCL separately, using
 * ADCL_Inside, and forwards all of them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT long counting_program_calls(void);
EXPORT long counting_library_calls(void);

static long program_calls;
static long library_calls;

long counting_program_calls(void) { return __atomic_load_n(&program_calls, __ATOMIC_RELAXED); }
long counting_library_calls(void) { return __atomic_load_n(&library_calls, __ATOMIC_RELAXED); }

static void count(void) {
  static int (*inside)(void);
  if (inside == NULL) {
    *(void **)&inside = dlsym(RTLD_DEFAULT, "ADCL_Inside");
  }
  __atomic_add_fetch(inside != NULL && inside() ? &library_calls : &program_calls, 1, __ATOMIC_RELAXED);
}

#define WRAP(name, parameters, arguments) \
  EXPORT int MPI_##name parameters;       \
  int MPI_##name parameters {             \
    count();                              \
    return PMPI_##name arguments;         \
  }

WRAP(Send, (const void *b, int n, MPI_Datatype t, int p, int g, MPI_Comm c), (b, n, t, p, g, c))
WRAP(Recv, (void *b, int n, MPI_Datatype t, int p, int g, MPI_Comm c, MPI_Status *s), (b, n, t, p, g, c, s))
WRAP(Isend, (const void *b, int n, MPI_Datatype t, int p, int g, MPI_Comm c, MPI_Request *r), (b, n, t, p, g, c, r))
WRAP(Irecv, (void *b, int n, MPI_Datatype t, int p, int g, MPI_Comm c, MPI_Request *r), (b, n, t, p, g, c, r))
WRAP(Sendrecv,
     (const void *b, int n, MPI_Datatype t, int p, int g, void *rb, int rn, MPI_Datatype rt, int rp, int rg, MPI_Comm c,
      MPI_Status *s),
     (b, n, t, p, g, rb, rn, rt, rp, rg, c, s))
WRAP(Wait, (MPI_Request * r, MPI_Status *s), (r, s))
WRAP(Waitall, (int n, MPI_Request *r, MPI_Status *s), (n, r, s))
WRAP(Waitany, (int n, MPI_Request *r, int *i, MPI_Status *s), (n, r, i, s))
WRAP(Testall, (int n, MPI_Request *r, int *f, MPI_Status *s), (n, r, f, s))
WRAP(Start, (MPI_Request * r), (r))
WRAP(Startall, (int n, MPI_Request *r), (n, r))
WRAP(Request_free, (MPI_Request * r), (r))
WRAP(Barrier, (MPI_Comm c), (c))
WRAP(Bcast, (void *b, int n, MPI_Datatype t, int r, MPI_Comm c), (b, n, t, r, c))
WRAP(Allreduce, (const void *b, void *rb, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (b, rb, n, t, o, c))
WRAP(Iallreduce, (const void *b, void *rb, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *r),
     (b, rb, n, t, o, c, r))
WRAP(Comm_dup, (MPI_Comm c, MPI_Comm *d), (c, d))
WRAP(Comm_free, (MPI_Comm * c), (c))
WRAP(Comm_split_type, (MPI_Comm c, int t, int k, MPI_Info i, MPI_Comm *d), (c, t, k, i, d))
WRAP(Cart_create, (MPI_Comm c, int n, const int *d, const int *p, int r, MPI_Comm *k), (c, n, d, p, r, k))
WRAP(Type_commit, (MPI_Datatype * t), (t))
WRAP(Type_free, (MPI_Datatype * t), (t))
WRAP(Pack, (const void *b, int n, MPI_Datatype t, void *o, int s, int *p, MPI_Comm c), (b, n, t, o, s, p, c))
WRAP(Win_create, (void *b, MPI_Aint s, int u, MPI_Info i, MPI_Comm c, MPI_Win *w), (b, s, u, i, c, w))
WRAP(Win_free, (MPI_Win * w), (w))
WRAP(Win_fence, (int a, MPI_Win w), (a, w))
WRAP(Put, (const void *b, int n, MPI_Datatype t, int p, MPI_Aint d, int m, MPI_Datatype u, MPI_Win w),
     (b, n, t, p, d, m, u, w))
WRAP(Get, (void *b, int n, MPI_Datatype t, int p, MPI_Aint d, int m, MPI_Datatype u, MPI_Win w),
     (b, n, t, p, d, m, u, w))
