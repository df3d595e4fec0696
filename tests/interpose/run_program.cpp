// Runs a test program. With an argument, loads the program as a plug-in: the libraries that it needs then have local
// symbols, like the libraries of a Python module.
#include <dlfcn.h>

#include <cstdio>

extern "C" __attribute__((weak)) int run_program(int argc, char** argv);

int main(int argc, char** argv) {
  if (argc < 2) {
    return run_program(argc, argv);
  }
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void* const run = plugin != nullptr ? dlsym(plugin, "run_program") : nullptr;
  if (run == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  return reinterpret_cast<int (*)(int, char**)>(run)(argc, argv);
}
