/// \file several_twins.hpp
/// Halo exchanges of several arrays as in typical MPI programs, with all arrays in one message. Independent of ADCL.
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

/// A prepared exchange of the halos of all blocks.
class Twin {
 public:
  virtual ~Twin() = default;
  virtual void exchange() = 0;
};

struct Row {
  std::string name;
  std::unique_ptr<Twin> (*make)(const Blocks& blocks);
};

/// `per_neighbor`: one message to each neighbor, as in LLNL Comb; `per_rank`: one message to each process, which is
/// several neighbors on small process grids. Both are nonblocking and unpack messages as they arrive. Data of a process
/// for itself are copied.
const std::vector<Row>& table();

}  // namespace several_twins
