#include "interpose/path.hpp"

#include "interpose/communicator.hpp"
#include "interpose/data_path.hpp"
#include "interpose/link_path.hpp"
#include "interpose/process.hpp"
#include "mpi/together.hpp"

namespace adcl::interpose {
namespace {

/// Whether blocks may differ between ranks and calls.
bool uses_links(const Key& key) {
  switch (key.operation) {
    case Operation::alltoallv:
    case Operation::alltoallw:
    case Operation::allgatherv:
    case Operation::gatherv:
    case Operation::scatterv:
      return true;
    default:
      return key.neighborhood;
  }
}

}  // namespace

std::unique_ptr<Path> make_path(const Key& key, Communicator& home) {
  const auto& context = home.context();
  if (!uses_links(key)) {
    return std::make_unique<DataPath>(key, context, process().settings());
  }
  Links links;
  mpi::run_collectively(context->comm(), [&] { links = links_of(key, home.place(), home.comm(), *home.blocks(key)); });
  return std::make_unique<LinkPath>(key, context, links);
}

}  // namespace adcl::interpose
