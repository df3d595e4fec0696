/* Preloaded where MPICH runs tests: ranks that wait give the core away, as Open MPI's do with mpi_yield_when_idle.
 * MPICH on UCX has no such setting, and with more ranks than cores a test takes until the system interrupts those that
 * wait. UCX's ucp_worker_progress is what MPICH calls again and again while it waits; it returns how much it found to
 * do. */
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
