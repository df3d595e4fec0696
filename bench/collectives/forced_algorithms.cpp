#include "collectives/forced_algorithms.hpp"

#include <cstdlib>
#include <utility>

namespace bench {
namespace {

constexpr int longest_name = 256;

/// A control variable of the MPI library with named values.
class Variable {
 public:
  explicit Variable(const std::string& name) {
    int provided = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    if (MPI_T_cvar_get_index(name.c_str(), &index_) != MPI_SUCCESS) {
      return;
    }
    int length = 0;
    int description = 0;
    int verbosity = 0;
    int binding = 0;
    int scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (MPI_T_cvar_get_info(index_, nullptr, &length, &verbosity, &type, &values_, nullptr, &description, &binding,
                            &scope) != MPI_SUCCESS ||
        type != MPI_INT || values_ == MPI_T_ENUM_NULL) {
      return;
    }
    int count = 0;
    known_ = MPI_T_cvar_handle_alloc(index_, nullptr, &handle_, &count) == MPI_SUCCESS;
  }
  ~Variable() {
    if (known_) {
      MPI_T_cvar_handle_free(&handle_);
    }
    MPI_T_finalize();
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] std::vector<std::pair<int, std::string>> values() const {
    std::vector<std::pair<int, std::string>> found;
    int count = 0;
    char name[longest_name] = {};
    int length = longest_name;
    if (MPI_T_enum_get_info(values_, &count, name, &length) != MPI_SUCCESS) {
      return found;
    }
    for (int i = 0; i < count; ++i) {
      int value = 0;
      length = longest_name;
      if (MPI_T_enum_get_item(values_, i, &value, name, &length) == MPI_SUCCESS) {
        found.emplace_back(value, name);
      }
    }
    return found;
  }
  bool write(int value) { return MPI_T_cvar_write(handle_, &value) == MPI_SUCCESS; }

 private:
  int index_ = -1;
  MPI_T_enum values_ = MPI_T_ENUM_NULL;
  MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
  bool known_ = false;
};

}  // namespace

void allow_forced_algorithms() { setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1); }

std::vector<ForcedAlgorithm> force_algorithms(const std::string& operation) {
  std::vector<ForcedAlgorithm> algorithms;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Variable variable("coll_tuned_" + operation + "_algorithm");
  if (!variable.known()) {
    return algorithms;
  }
  for (const auto& [value, name] : variable.values()) {
    const bool of_two = name.find("two_proc") != std::string::npos;
    if (value == 0 || (of_two && size != 2) || !variable.write(value)) {
      continue;
    }
    ForcedAlgorithm forced{name};
    MPI_Comm_dup(MPI_COMM_WORLD, &forced.comm);
    algorithms.push_back(std::move(forced));
  }
  variable.write(0);
  return algorithms;
}

void free_algorithms(std::vector<ForcedAlgorithm>& algorithms) {
  for (ForcedAlgorithm& forced : algorithms) {
    MPI_Comm_free(&forced.comm);
  }
  algorithms.clear();
}

}  // namespace bench
