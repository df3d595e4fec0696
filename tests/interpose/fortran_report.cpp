// The check of the report for a program in Fortran.
#include "report_check.hpp"

extern "C" int report_lacks() {
  const nlohmann::json report = read_report();
  // Fortran calls that reach the functions of C count once. The mpi_f08 of MPICH does not call the MPI_Barrier of C.
  const int barriers = report.is_object() ? report["passed"].value("MPI_Barrier", 0) : -1;
  if (barriers != 200 && barriers != 0) {
    std::fprintf(stderr, "the report has %d instead of 200 calls of MPI_Barrier\n", barriers);
    return 1;
  }
  return report_lacks_searches();
}
