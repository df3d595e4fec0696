/// \file many_datatypes.hpp
/// A program that keeps many datatypes: some libraries treat those made later in another way.
#pragma once

#include <mpi.h>

#include <vector>

namespace adcl::test {

/// Datatypes that live as long as the object. Made and destroyed while MPI is initialised.
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
