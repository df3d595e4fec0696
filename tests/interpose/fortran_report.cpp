// The check of the report for a program in Fortran.
#include "report_check.hpp"

extern "C" int report_lacks() {
  const nlohmann::json report = read_report();
  // MPI_Barrier is called 200 times; Fortran calls that reach the functions of C are counted once.
  if (!report.is_object() || report["passed"].value("MPI_Barrier", 0) != 200) {
    std::fprintf(stderr, "the report has not 200 calls of MPI_Barrier\n");
    return 1;
  }
  return report_lacks_searches();
}
