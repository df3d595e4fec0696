/// \file many_datatypes.hpp
/// Keeps many datatypes alive: some MPI libraries treat later datatypes differently.
#pragma once

#include <mpi.h>

#include <vector>

namespace adcl::test {

/// Datatypes that live as long as the object. \pre MPI is initialized, also at destruction
class ManyDatatypes {
 public:
  explicit ManyDatatypes(int count) : types_(static_cast<std::size_t>(count)) {
    for (MPI_Datatype& type : types_) {
      MPI_Type_contiguous(3, MPI_DOUBLE, &type);
      MPI_Type_commit(&type);
    }
  }
  ~ManyDatatypes() {
    for (MPI_Datatype& type : types_) {
      MPI_Type_free(&type);
    }
  }
  ManyDatatypes(const ManyDatatypes&) = delete;
  ManyDatatypes& operator=(const ManyDatatypes&) = delete;

 private:
  std::vector<MPI_Datatype> types_;
};

}  // namespace adcl::test
