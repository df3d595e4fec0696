#include "interpose/packing.hpp"

#include <array>
#include <cstring>

#include "mpi/check.hpp"

namespace adcl::interpose {
namespace {

Block packed(const std::byte* address, std::int64_t bytes) {
  return {const_cast<std::byte*>(address), bytes, MPI_PACKED, bytes, true};
}

}  // namespace

#if MPI_VERSION >= 4
int post_receive(const Block& block, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  return MPI_Irecv_c(block.address, block.count, block.type, peer, tag, comm, request);
}
int post_send(const Block& block, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  return MPI_Isend_c(block.address, block.count, block.type, peer, tag, comm, request);
}
#else
int post_receive(const Block& block, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  return MPI_Irecv(block.address, static_cast<int>(block.count), block.type, peer, tag, comm, request);
}
int post_send(const Block& block, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  return MPI_Isend(block.address, static_cast<int>(block.count), block.type, peer, tag, comm, request);
}
#endif

void Packing::pack(const Block& block, std::byte* into) const {
  if (block.dense) {
    std::memcpy(into, block.address, static_cast<std::size_t>(block.bytes));
    return;
  }
  int position = 0;
  if (block.address != nullptr) {
    mpi::check(MPI_Pack(block.address, static_cast<int>(block.count), block.type, into, static_cast<int>(block.bytes),
                        &position, comm_),
               "MPI_Pack");
  }
  if (position != block.bytes) {
    send_to_self(block, packed(into, block.bytes));
  }
}

void Packing::unpack(const std::byte* from, const Block& block) const {
  if (block.dense) {
    std::memcpy(block.address, from, static_cast<std::size_t>(block.bytes));
  } else if (block.address == nullptr) {
    send_to_self(packed(from, block.bytes), block);
  } else {
    int position = 0;
    mpi::check(MPI_Unpack(from, static_cast<int>(block.bytes), &position, block.address, static_cast<int>(block.count),
                          block.type, comm_),
               "MPI_Unpack");
  }
}

void Packing::send_to_self(const Block& from, const Block& to) const {
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  mpi::check(post_receive(to, rank_, tag_, comm_, &requests[0]), "MPI_Irecv");
  mpi::check(post_send(from, rank_, tag_, comm_, &requests[1]), "MPI_Isend");
  mpi::check(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

}  // namespace adcl::interpose
