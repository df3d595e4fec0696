/* Preloaded for tests with MPICH: waiting ranks yield the core, as with Open MPI's mpi_yield_when_idle. MPICH on UCX
 * has no such setting, and with more ranks than cores a test is slow until the system preempts the waiting ranks. MPICH
 * calls UCX's ucp_worker_progress repeatedly while it waits; it returns the number of events that it processed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

unsigned ucp_worker_progress(void *worker);

static unsigned (*progress)(void *worker);

__attribute__((constructor)) static void find(void) { *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress"); }

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker) {
  enum { patience = 10 };
  static _Thread_local int idle;
  unsigned done = progress(worker);
  idle = done == 0 ? idle + 1 : 0;
  if (idle >= patience) {
    idle = 0;
    sched_yield();
  }
  return done;
}
