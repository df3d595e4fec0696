/* ranks: 2 3
 * small /dev/shm: 2 3
 * apart: 2 3
 * not smpi: its library is linked statically, and the calls below cannot be replaced
 * If ranks cannot open each other's anonymous memory, Shm_window uses files in /dev/shm. If one rank has no space for
 * them, Shm_window is not applicable on any rank, and the reason is reported; no file remains. With a small /dev/shm,
 * space is actually short. In separate namespaces, the memory of other ranks is actually inaccessible, and each process
 * finds its own memory under their process numbers. Otherwise, the test simulates failures of system calls. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"

enum { rows = 4 };

/* Calls that fail on this rank, and the number of failures. */
static int refuses_proc, refuses_memfd, refuses_space;
static int refusals;
/* Number of files created in /dev/shm, and the descriptor of the last file. */
static int named;
static int named_file = -1;

ssize_t readlink(const char *path, char *target, size_t size) {
  if (refuses_proc && strncmp(path, "/proc/", 6) == 0 && strstr(path, "/fd/") != NULL) {
    ++refusals;
    errno = EACCES;
    return -1;
  }
  return syscall(SYS_readlinkat, AT_FDCWD, path, target, size);
}

int memfd_create(const char *name, unsigned flags) {
  if (refuses_memfd && strcmp(name, "adcl") == 0) {
    ++refusals;
    errno = ENOSYS;
    return -1;
  }
  return (int)syscall(SYS_memfd_create, name, flags);
}

int shm_open(const char *name, int flags, mode_t mode) {
  char path[300];
  int file;
  snprintf(path, sizeof path, "/dev/shm%s", name);
  file = open(path, flags, mode);
  if (strncmp(name, "/adcl.", 6) == 0 && (flags & O_CREAT) != 0) {
    ++named;
    named_file = file;
  }
  return file;
}

int posix_fallocate(int file, off_t begin, off_t bytes) {
  if (refuses_space && file == named_file) {
    ++refusals;
    return ENOSPC;
  }
  return fallocate(file, 0, begin, bytes) == 0 ? 0 : errno;
}

/* Number of files of this process in /dev/shm. */
static int files(void) {
  DIR *folder = opendir("/dev/shm");
  char begin[32];
  int count = 0;
  snprintf(begin, sizeof begin, "adcl.%d.", (int)getpid());
  for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    count += strncmp(entry->d_name, begin, strlen(begin)) == 0;
  }
  closedir(folder);
  return count;
}

static int sum(int value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

/* Doubles that a rank sends to each side. The block has two rows and two halo rows. */
static int columns;
static double *block;

static double *at(int row, int column) { return block + (size_t)row * (size_t)columns + column; }

static void fill(int round) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      *at(i, j) = i == 0 || i == rows - 1 ? -1.0 : 1000.0 * harness_rank() + 10.0 * round + i + j;
    }
  }
}

static int is_right(int round) {
  const int size = harness_size();
  const double before = 1000.0 * ((harness_rank() + size - 1) % size) + 10.0 * round + rows - 2;
  const double after = 1000.0 * ((harness_rank() + 1) % size) + 10.0 * round + 1;
  int wrong = 0;
  for (int j = 1; j < columns - 1; ++j) {
    wrong += *at(0, j) != before + j || *at(rows - 1, j) != after + j;
  }
  return wrong == 0;
}

/* Runs a request of these codelets; returns the code of its first start. */
static int run(const char *codelets, char *codelet) {
  const int periods[2] = {1, 0};
  const int dims[2] = {rows, columns};
  int grid[2] = {harness_size(), 1};
  int code;
  MPI_Comm cart;
  ADCL_Request request;
  codelet[0] = '\0';
  OK(ADCL_Option_set("ADCL_CODELETS", codelets));
  MPI_Cart_create(MPI_COMM_WORLD, 2, grid, periods, 0, &cart);
  OK(ADCL_Halo_init(ADCL_HALO(block, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  fill(0);
  code = ADCL_Request_start(request);
  MPI_Barrier(cart); /* processes in separate namespaces may have the same number */
  CHECK(files() == 0);
  for (int round = 0; code == ADCL_SUCCESS && round < 4; ++round) {
    if (round > 0) {
      fill(round);
      OK(ADCL_Request_start(request));
    }
    CHECK(is_right(round));
    OK(ADCL_Request_get_curr_function(request, codelet, ADCL_MAX_NAME));
  }
  OK(ADCL_Request_free(&request));
  MPI_Comm_free(&cart);
  return code;
}

static void expect_shared(int in_files) {
  char codelet[ADCL_MAX_NAME];
  named = 0;
  CHECK(run("neighborhood:Shm_window", codelet) == ADCL_SUCCESS);
  CHECK(strcmp(codelet, "Shm_window") == 0);
  CHECK(named == in_files);
}

/* Shm_window alone is an error with the reason; together with another codelet, it is not applicable. */
static void expect_not_applicable(void) {
  char codelet[ADCL_MAX_NAME];
  CHECK(run("neighborhood:Shm_window", codelet) == ADCL_ERR_NO_CODELET);
  CHECK(strstr(ADCL_Last_error(), "Shm_window: rank ") != NULL);
  CHECK(strstr(ADCL_Last_error(), "bytes of /dev/shm: No space left on device") != NULL);
  CHECK(run("neighborhood:Shm_window,IsIr_aao", codelet) == ADCL_SUCCESS);
  CHECK(strcmp(codelet, "IsIr_aao") == 0);
}

static void allocate(int n) {
  columns = n;
  block = malloc((size_t)rows * (size_t)columns * sizeof(double));
}

/* Tests every failure; /dev/shm has `bytes` free bytes. */
static void all_failures(double bytes) {
  const int small = bytes < 100e6;
  const int plenty = bytes > 1e6;
  for (int large = 0; large <= small; ++large) {
    allocate(large ? (int)(0.3 * bytes / sizeof(double)) : 1000); /* two messages of two slots */
    expect_shared(0);
    for (int victim = 0; victim < harness_size(); ++victim) {
      for (int way = 0; way < 2 - large; ++way) {
        refusals = 0;
        refuses_proc = harness_rank() == victim && way == 0;
        refuses_memfd = harness_rank() == victim && way == 1;
        if (large) {
          expect_not_applicable();
        } else if (plenty) {
          expect_shared(1);
          refuses_space = harness_rank() == (victim + 1) % harness_size();
          expect_not_applicable();
        }
        refuses_proc = refuses_memfd = refuses_space = 0;
        CHECK(sum(refusals) >= 1 + !large);
      }
    }
    free(block);
  }
}

int main(int argc, char **argv) {
  struct statvfs space;
  double bytes = 0.0;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "1"));
  CHECK(statvfs("/dev/shm", &space) == 0);
  bytes = (double)space.f_bavail * (double)space.f_frsize;
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  if (getenv("ADCL_TEST_APART") != NULL) {
    allocate(1000);
    expect_shared(1);
    free(block);
  } else {
    all_failures(bytes);
  }
  if (harness_rank() == 0) {
    printf("%.0f MB free in /dev/shm\n", bytes / 1e6);
  }
  OK(ADCL_Finalize());
  return harness_verdict();
}
