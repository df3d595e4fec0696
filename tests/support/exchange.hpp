/// \file exchange.hpp
/// A halo problem on real processes: topology, request with its arrays, and a codelet's plan for it. Replaces the
/// library's runtime in tests.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codelets/neighborhood/halo_problem.hpp"
#include "core/codelet.hpp"
#include "mpi/array_memory.hpp"
#include "mpi/context.hpp"
#include "mpi/datatype.hpp"
#include "support/problem_model.hpp"
#include "support/suite.hpp"

namespace adcl::test {

/// A communicator with the processes of a model, created as an application would create it.
class Topology {
 public:
  /// Collective over \p comm. \pre \p comm has the size of the model
  Topology(const TopologyModel& model, MPI_Comm comm);
  /// Frees the communicator; collective.
  ~Topology();
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  [[nodiscard]] const TopologyModel& model() const noexcept { return model_; }
  [[nodiscard]] const Neighborhood& neighborhood() const noexcept { return neighborhood_; }
  [[nodiscard]] mpi::Context& context() const noexcept { return *context_; }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] int rank() const noexcept { return neighborhood_.rank; }
  [[nodiscard]] std::int64_t id() const noexcept { return id_; }

 private:
  void ask_grid();
  void ask_graph();
  void take_given();

  TopologyModel model_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::shared_ptr<mpi::Context> context_;
  Neighborhood neighborhood_;
  std::int64_t id_ = 0;
};

/// An array of grid points with guard bytes around it. It begins after the start of its memory.
class Image {
 public:
  Image(const Grid& grid, const TypeModel& entry, int nc, mpi::Sharing sharing);
  /// Sets every data byte to a value that depends on rank, grid point, position in the grid point and round, and every
  /// other byte to a value that depends on its address.
  void fill(int rank, int round);
  /// Sets one grid point to the value of a point of \p owner.
  void write(std::int64_t point, int owner, std::int64_t owner_point, int round);
  [[nodiscard]] void* address() noexcept { return memory_->data() + front_; }
  /// Reason why processes of the node cannot read the array; empty if they can.
  [[nodiscard]] const std::string& private_because() const { return memory_->private_because(); }
  [[nodiscard]] std::span<const std::byte> all() const noexcept { return {memory_->data(), blank_.size()}; }
  /// Describes the byte at this offset of all(), for messages.
  [[nodiscard]] std::string describe(std::size_t offset) const;

 private:
  Grid grid_;
  std::vector<std::int64_t> data_;  ///< offsets of a grid point's data, in message order
  std::int64_t point_bytes_ = 0;
  std::int64_t front_ = 0;
  std::shared_ptr<mpi::ArrayMemory> memory_;
  std::vector<std::byte> blank_;  ///< initial contents, without data
};

/// Two sets of arrays of one field, and their expected contents after an exchange.
class Field {
 public:
  Field(const Topology& topology, const ProblemModel& model);
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  [[nodiscard]] const ProblemModel& model() const noexcept { return model_; }
  /// Refers to the elements of this object.
  [[nodiscard]] HaloField shape() const;
  [[nodiscard]] const GraphPoints& points() const { return rank_.points; }
  [[nodiscard]] FieldBuffers buffers(int set);
  void fill(int set, int round);
  /// Describes wrong bytes in arrays \p set after the exchange of \p round; empty if there are none.
  [[nodiscard]] std::string difference(int set, int round);

 private:
  struct Arrays {
    Image send;
    Image receive;
  };

  ProblemModel model_;
  int number_;  ///< rank of this process
  const RankModel& rank_;
  TypeModel send_type_;
  TypeModel receive_type_;
  mpi::Element send_element_;
  mpi::Element receive_element_;
  std::vector<Origin> origins_;
  std::vector<Arrays> arrays_;
  std::unique_ptr<Image> expected_;   ///< expected receive array
  std::unique_ptr<Image> untouched_;  ///< expected send array, if it is separate
};

/// A problem of one field or several, with two sets of arrays.
class Request {
 public:
  /// Collective over the topology's communicator; the models have the topology \p topology.
  Request(Topology& topology, const std::vector<ProblemModel>& models);
  Request(Topology& topology, const ProblemModel& model) : Request(topology, std::vector{model}) {}
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  [[nodiscard]] const HaloProblem& problem() const noexcept { return problem_; }
  [[nodiscard]] Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] Buffers buffers(int set) const { return buffers_[static_cast<std::size_t>(set)]; }
  /// Writes new data to arrays \p set.
  void fill(int set, int round);
  /// Compares every byte of arrays \p set with the expected result of the exchange of \p round.
  void verify(Suite& suite, const std::string& codelet, int set, int round);

 private:
  /// Reaches the agreement that the runtime makes when it creates a request.
  void agree();

  Topology& topology_;
  std::vector<std::unique_ptr<Field>> fields_;
  std::vector<std::vector<FieldBuffers>> buffers_;  ///< per set
  HaloProblem problem_;
};

/// A plan of a codelet for a request.
class Exchange {
 public:
  /// Collective if the codelet's plan is. Aborts the test program if the plan cannot be created.
  Exchange(Suite& suite, Request& request, const Codelet& codelet);

  /// Writes new data and starts; the arrays alternate if the codelet allows it.
  void start(int round);
  void wait();
  /// Calls test() until the exchange is complete.
  void poll();
  /// Fills, runs and verifies.
  void run(int round);
  void verify();
  [[nodiscard]] bool test() { return plan_->test(); }

 private:
  void fill(int round);

  Suite& suite_;
  Request& request_;
  const Codelet& codelet_;
  PlanPointer plan_;
  int round_ = 0;
  int set_ = 0;
};

/// The codelets of the table that are applicable to the problem on all ranks and selected in the suite. The suite
/// counts them. Collective.
std::vector<const Codelet*> candidates(Suite& suite, Request& request);

}  // namespace adcl::test
