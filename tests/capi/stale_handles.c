/* ranks: 1 3
 * A freed handle stays invalid, even after its entry in the library's table has been reused many times. */
#include "harness.h"

/* More than the number of freed entries that the library retains before it reuses an entry. */
enum { many = 300, rounds = 5 };

static ADCL_Vmap vmap(void) {
  ADCL_Vmap made = ADCL_VMAP_NULL;
  OK(ADCL_Vmap_halo_allocate(1, &made));
  return made;
}

int main(int argc, char **argv) {
  static ADCL_Vmap live[many], stale[many];
  int again = 0;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  for (int i = 0; i < many; ++i) {
    live[i] = vmap();
  }
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < many; ++i) {
      stale[i] = live[i];
      OK(ADCL_Vmap_free(&live[i]));
    }
    for (int i = 0; i < many; ++i) {
      live[i] = vmap();
    }
    for (int i = 0; i < many; ++i) {
      ADCL_Vmap copy = stale[i];
      for (int k = 0; k < many; ++k) {
        CHECK(live[k] != stale[i]);
        again += ((size_t)live[k] & 0xffffU) == ((size_t)stale[i] & 0xffffU);
      }
      FAILS(ADCL_ERR_HANDLE, "freed", ADCL_Vmap_free(&copy));
    }
  }
  CHECK(again > many); /* otherwise no entry was reused and this test checks nothing */
  for (int i = 0; i < many; ++i) {
    OK(ADCL_Vmap_free(&live[i]));
  }
  OK(ADCL_Finalize());
  return harness_verdict();
}
