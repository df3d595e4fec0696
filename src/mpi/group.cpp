#include "mpi/group.hpp"

#include <algorithm>
#include <numeric>

#include "mpi/check.hpp"
#include "mpi/environment.hpp"

namespace adcl::mpi {
namespace {

Group group_of(MPI_Comm comm) {
  int size = 0;
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  std::vector<int> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return {comm, std::move(all)};
}

}  // namespace

Group::Group(MPI_Comm comm, std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  size_ = static_cast<int>(ranks.size());
  MPI_Group all = MPI_GROUP_NULL;
  check(MPI_Comm_group(comm, &all), "MPI_Comm_group");
  const int code = MPI_Group_incl(all, size_, ranks.data(), &group_);
  MPI_Group_free(&all);
  check(code, "MPI_Group_incl");
}

Group::~Group() {
  if (group_ != MPI_GROUP_NULL && group_ != MPI_GROUP_EMPTY && !is_finalized()) {
    MPI_Group_free(&group_);
  }
}

std::vector<int> translated_ranks(MPI_Comm comm, MPI_Comm other) {
  const Group from = group_of(comm);
  const Group to = group_of(other);
  int size = 0;
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> result(ranks.size(), MPI_UNDEFINED);
  check(MPI_Group_translate_ranks(from.get(), size, ranks.data(), to.get(), result.data()),
        "MPI_Group_translate_ranks");
  return result;
}

}  // namespace adcl::mpi
