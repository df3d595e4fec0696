/// \file link_path.hpp
/// Candidates for collectives whose blocks may differ between ranks and calls.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "interpose/block_lists.hpp"
#include "interpose/link_exchange.hpp"
#include "interpose/path.hpp"

namespace adcl::interpose {

/// Returns whether the blocks are valid: false for an argument that the MPI library rejects, such as a negative count.
bool is_valid(const CollectiveCall& call, Place place, BlockNumbers numbers);

/// The links of a call. For a neighborhood, an exchange with the MPI library's call finds out which blocks belong
/// together: MPI libraries differ if a rank is a neighbor several times. Collective for neighborhoods.
Links links_of(const Key& key, Place place, MPI_Comm comm, BlockNumbers numbers);

class LinkPath final : public Path {
 public:
  /// Collective over the communicator of \p context; throws the same error on all ranks.
  LinkPath(const Key& key, const std::shared_ptr<mpi::Context>& context, const Links& links);

  void run(const CollectiveCall& call) override;
  [[nodiscard]] bool has_winner() const override { return true; }
  [[nodiscard]] std::string winner() const override { return transport().name; }
  [[nodiscard]] bool prefers_native() const override { return false; }
  void fix_winner() override {}
  bool fix(const std::string& name) override;
  bool change_after(double speedup) override;
  [[nodiscard]] mpi::Context& context() const noexcept override { return *context_; }

 private:
  /// A datatype and its shape, kept for the next call. After each call, only a predefined datatype remains valid.
  struct Known {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    TypeShape shape;
  };
  [[nodiscard]] const Transport& transport() const { return LinkExchange::transports()[current_]; }
  const TypeShape& shape(MPI_Datatype type);
  void describe(const BlockList& list, std::vector<Block>& blocks);
  void send_from_receive_buffer(const CollectiveCall& call);

  Key key_;
  std::shared_ptr<mpi::Context> context_;
  LinkExchange exchange_;
  std::vector<Block> sent_;
  std::vector<Block> received_;
  std::vector<std::byte> copies_;  ///< packed blocks of an operation in place
  Known known_;
  std::size_t current_ = 0;       ///< index of the transport
  std::vector<double> speedups_;  ///< of the transports that were compared
  bool decided_ = false;
};

}  // namespace adcl::interpose
