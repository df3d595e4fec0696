/// \file several_twins.hpp
/// Halo exchanges of several arrays as MPI programs contain them, all arrays in one message: no ADCL in here.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

namespace several_twins {

/// Three-dimensional blocks of doubles of the same extents with one halo layer, in C order, on a periodic Cartesian
/// communicator.
struct Blocks {
  MPI_Comm cart = MPI_COMM_NULL;
  int side = 0;            ///< without the halo
  bool diagonals = false;  ///< 26 neighbors instead of 6
  std::vector<double*> data;
};

/// A way of exchanging the halos of all blocks, made ready.
class Twin {
 public:
  virtual ~Twin() = default;
  virtual void exchange() = 0;
};

struct Row {
  std::string name;
  std::unique_ptr<Twin> (*make)(const Blocks& blocks);
};

/// `per_neighbor`: a message to each neighbor, as LLNL Comb sends them; `per_rank`: one to each process, which is
/// several neighbors on small process grids. Both are non-blocking and unpack messages as they arrive; what a process
/// sends to itself is copied.
const std::vector<Row>& table();

}  // namespace several_twins
