/* ranks: 1 3
 * not smpi: its library is linked statically, and the call below cannot be replaced
 * ADCL_Init compares the MPI library at run time with the MPI library of the build. This program replaces
 * MPI_Get_library_version. */
#include "harness.h"

static char answer[MPI_MAX_LIBRARY_VERSION_STRING];

/* Replaces the MPI library's function, also for ADCL's shared library. */
int MPI_Get_library_version(char *version, int *length) {
  strcpy(version, answer);
  *length = (int)strlen(answer);
  return MPI_SUCCESS;
}

/* Copies the version string, and replaces the number at `digits` with `number`. */
static void replace_number(const char *real_version, const char *digits, int number) {
  snprintf(answer, sizeof answer, "%.*s%d%s", (int)(digits - real_version), real_version, number,
           digits + strspn(digits, "0123456789"));
}

static void init_and_finalize(void) {
  int flag = 0;
  OK(ADCL_Init());
  OK(ADCL_Initialized(&flag));
  CHECK(flag == 1);
  OK(ADCL_Finalize());
}

/* An ADCL built for the standard ABI accepts any library that supports this ABI. */
#ifdef MPI_ABI_VERSION
static const int standard_abi = 1;
#else
static const int standard_abi = 0;
#endif

static void expect_refused(const char *part) {
  int flag = 1;
  if (standard_abi) {
    init_and_finalize();
    return;
  }
  FAILS(ADCL_ERR_UNSUPPORTED, "ADCL_Init: this ADCL was built with", ADCL_Init());
  CHECK(strstr(ADCL_Last_error(), part) != NULL);
  OK(ADCL_Initialized(&flag));
  CHECK(flag == 0);
}

/* True if a codelet is a candidate for a halo on a grid of one process. */
static int is_candidate(const char *codelet) {
  const int one[1] = {1};
  const int dims[1] = {6};
  double data[6] = {0};
  int candidates = 0;
  int found = 0;
  char name[ADCL_MAX_NAME];
  MPI_Comm cart;
  ADCL_Request request;
  MPI_Cart_create(MPI_COMM_SELF, 1, one, one, 0, &cart);
  OK(ADCL_Init());
  OK(ADCL_Halo_init(ADCL_HALO(data, 1, dims, 0, 1, MPI_DOUBLE), cart, &request));
  OK(ADCL_Request_get_functions_num(request, &candidates));
  for (int i = 0; i < candidates; ++i) {
    OK(ADCL_Request_get_statistics(request, i, name, sizeof name, NULL, NULL, NULL, NULL));
    found += strcmp(name, codelet) == 0;
  }
  OK(ADCL_Request_free(&request));
  OK(ADCL_Finalize());
  MPI_Comm_free(&cart);
  return found;
}

/* If ADCL was built for the standard ABI, defects of the MPI library are known only at run time. */
static void intel_defects(void) {
  if (standard_abi) {
    strcpy(answer, "Intel(R) MPI Library 2021.18 for Linux* OS");
    CHECK(is_candidate("IsIr_aao"));
    CHECK(!is_candidate("Neighbor_alltoallw_init"));
  }
}

int main(int argc, char **argv) {
  char real_version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Init(&argc, &argv);
  PMPI_Get_library_version(real_version, &length);
  const char *const major = real_version + strcspn(real_version, "0123456789");
  const char *const minor = major + strspn(major, "0123456789");
  CHECK(*major != '\0' && *minor == '.');

  strcpy(answer, real_version);
  init_and_finalize();
  replace_number(real_version, minor + 1, 93);
  init_and_finalize();
  snprintf(answer, sizeof answer, "%.100s\nand a second line, 7", real_version);
  init_and_finalize();

  replace_number(real_version, major, 93);
  expect_refused(", but the program runs with ");
  CHECK(standard_abi || strstr(ADCL_Last_error(), "93.") != NULL);
  snprintf(answer, sizeof answer, "Another MPI %.100s", major);
  expect_refused("but the program runs with Another MPI");
  strcpy(answer, "an MPI without a number");
  expect_refused("an MPI without a number");
  intel_defects();

  strcpy(answer, real_version);
  init_and_finalize();
  return harness_verdict();
}
