#include "program.hpp"

int main(int argc, char** argv) {
  return adcl::bench::run_program(argc, argv, "adcl-bench", adcl::bench::function_table());
}
