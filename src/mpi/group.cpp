#include "mpi/group.hpp"

#include <algorithm>

#include "mpi/check.hpp"
#include "mpi/environment.hpp"

namespace adcl::mpi {
Group::Group(MPI_Comm comm, std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  MPI_Group all = MPI_GROUP_NULL;
  check(MPI_Comm_group(comm, &all), "MPI_Comm_group");
  const int code = MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group_);
  MPI_Group_free(&all);
  check(code, "MPI_Group_incl");
}

Group::~Group() {
  if (!empty() && !is_finalized()) {
    MPI_Group_free(&group_);
  }
}

}  // namespace adcl::mpi
