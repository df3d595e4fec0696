/** \file collectives.hpp
 *  Requests for collective operations, with the arguments of the functions ADCL_*_init in the order of MPI.
 *
 *  Buffers are contiguous ranges, adcl::Buffer, or adcl::in_place where MPI accepts MPI_IN_PLACE. All functions are
 *  collective; an error on one rank has the same code on all ranks. Counts follow from the sizes: the receive buffer of
 *  an allgather has one equal part for each rank. Ranks on which MPI ignores a buffer may pass an empty span. */
#ifndef ADCL_COLLECTIVES_HPP
#define ADCL_COLLECTIVES_HPP

#include <cstddef>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "request.hpp"
#include "view.hpp"

namespace adcl {

/** MPI_IN_PLACE. */
struct InPlace {};
inline constexpr InPlace in_place{};

/** Any memory: \p count entries of an MPI datatype, which may be derived. */
struct Buffer {
  void* data = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

/** Part of each rank: counts[i] entries from entry displs[i] on. */
struct Blocks {
  std::vector<int> counts;
  std::vector<int> displs;
};

/** Blocks without gaps. */
[[nodiscard]] inline Blocks packed(std::vector<int> counts) {
  Blocks result{.counts = std::move(counts), .displs = {}};
  int next = 0;
  for (const int count : result.counts) {
    result.displs.push_back(next);
    next += count;
  }
  return result;
}

/** Part of each rank in an alltoallw: displs are in bytes. */
struct TypedBlocks {
  std::vector<int> counts;
  std::vector<int> displs;
  std::vector<MPI_Datatype> types;
};

template <typename B>
concept RangeToSend = ContiguousArray<B> && HasDatatype<std::ranges::range_value_t<B>>;
template <typename B>
concept RangeToReceive = RangeToSend<B> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<B>>>;
template <typename B>
concept SendBuffer =
    RangeToSend<B> || std::same_as<std::remove_cvref_t<B>, Buffer> || std::same_as<std::remove_cvref_t<B>, InPlace>;
template <typename B>
concept ReceiveBuffer =
    RangeToReceive<B> || std::same_as<std::remove_cvref_t<B>, Buffer> || std::same_as<std::remove_cvref_t<B>, InPlace>;

namespace detail {

template <typename B>
Buffer buffer_of(const B& buffer) {
  if constexpr (std::same_as<B, InPlace>) {
    return {.data = MPI_IN_PLACE, .count = 0, .type = MPI_BYTE};
  } else if constexpr (std::same_as<B, Buffer>) {
    return buffer;
  } else {
    using T = std::remove_cv_t<std::ranges::range_value_t<B>>;
    const std::size_t size = std::ranges::size(buffer);
    // MPI counts are int; -1 is an error on all ranks.
    const bool fits = size <= static_cast<std::size_t>(std::numeric_limits<int>::max());
    return {.data = const_cast<T*>(std::ranges::data(buffer)),  // NOLINT(cppcoreguidelines-pro-type-const-cast)
            .count = fits ? static_cast<int>(size) : -1,
            .type = Datatype<T>::get()};
  }
}

inline bool is_in_place(const Buffer& buffer) noexcept { return buffer.data == MPI_IN_PLACE; }

inline int size_of(MPI_Comm comm) {
  int size = 1;
  if (comm != MPI_COMM_NULL) {
    MPI_Comm_size(comm, &size);
  }
  return size;
}

inline bool is_root(int root, MPI_Comm comm) {
  int rank = MPI_PROC_NULL;
  if (comm != MPI_COMM_NULL) {
    MPI_Comm_rank(comm, &rank);
  }
  return rank == root;
}

/** Checks the arguments that only C++ has, and creates the request. A mistake becomes a negative count, so that the
 *  library reports an error on all ranks; this rank's message then names the mistake. */
class Creation {
 public:
  Creation(const char* function, MPI_Comm comm) : function_(function), comm_(comm), size_(size_of(comm)) {}

  void require(bool condition, const std::string& mistake) {
    if (!condition && mistake_.empty()) {
      mistake_ = std::string("adcl::") + function_ + ": " + mistake;
    }
  }

  /** \p count, or -1 after a mistake. */
  [[nodiscard]] int checked(int count) const noexcept { return mistake_.empty() ? count : -1; }

  /** Each rank's part of a buffer with equal parts for all ranks. */
  [[nodiscard]] int part(const Buffer& buffer, const char* side) {
    require(is_in_place(buffer) || buffer.count % size_ == 0,
            std::string("the ") + side + " buffer has " + std::to_string(buffer.count) +
                " entries, which is not a multiple of the " + std::to_string(size_) +
                " ranks; pass a buffer with the same number of entries for each rank");
    return buffer.count / size_;
  }

  void require_same_count(const Buffer& send, const Buffer& receive) {
    require(is_in_place(send) || send.count == receive.count,
            "the send buffer has " + std::to_string(send.count) + " entries, but the receive buffer has " +
                std::to_string(receive.count) + "; pass buffers of the same size");
  }

  /** Blocks of all ranks that are inside the buffer; after a mistake, blocks with negative counts. */
  [[nodiscard]] Blocks inside(const Blocks& blocks, const Buffer& buffer, const char* side) {
    const auto ranks = static_cast<std::size_t>(size_);
    const bool complete = blocks.counts.size() == ranks && blocks.displs.size() == ranks;
    require(complete, "there are " + std::to_string(blocks.counts.size()) + " counts and " +
                          std::to_string(blocks.displs.size()) + " displacements for the " + side + " buffer, but " +
                          std::to_string(size_) + " ranks; pass one count and one displacement per rank");
    for (std::size_t i = 0; complete && i < ranks && !is_in_place(buffer); ++i) {
      const long long end = static_cast<long long>(blocks.displs[i]) + blocks.counts[i];
      require(blocks.counts[i] == 0 || (blocks.displs[i] >= 0 && end <= buffer.count),
              "the block of rank " + std::to_string(i) + " ends at entry " + std::to_string(end) + " of the " + side +
                  " buffer, which has " + std::to_string(buffer.count) + " entries; pass a larger buffer");
    }
    return mistake_.empty() ? blocks : Blocks{std::vector<int>(ranks, -1), std::vector<int>(ranks, 0)};
  }

  [[nodiscard]] TypedBlocks complete(const TypedBlocks& blocks, const char* side) {
    const auto ranks = static_cast<std::size_t>(size_);
    require(blocks.counts.size() == ranks && blocks.displs.size() == ranks && blocks.types.size() == ranks,
            std::string("the blocks to ") + side + " have " + std::to_string(blocks.counts.size()) + " counts, " +
                std::to_string(blocks.displs.size()) + " displacements and " + std::to_string(blocks.types.size()) +
                " datatypes; pass one of each for each of the " + std::to_string(size_) + " ranks");
    return mistake_.empty() ? blocks
                            : TypedBlocks{std::vector<int>(ranks, -1), std::vector<int>(ranks, 0),
                                          std::vector<MPI_Datatype>(ranks, MPI_BYTE)};
  }

  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }

  /** Calls \p init(ADCL_Request*). */
  template <typename Init>
  [[nodiscard]] Request create(OnError on_error, Init init) const {
    ADCL_Request handle = ADCL_REQUEST_NULL;
    int code = init(&handle);
    if (code != ADCL_SUCCESS && !mistake_.empty()) {
      code = ADCL_Error_record(code, mistake_.c_str());
    }
    on_error(code);
    return Request(handle);
  }

 private:
  const char* function_;
  MPI_Comm comm_;
  int size_;
  std::string mistake_;
};

}  // namespace detail

[[nodiscard]] inline Request barrier(MPI_Comm comm, OnError on_error = {}) {
  const detail::Creation creation("barrier", comm);
  return creation.create(on_error, [&](ADCL_Request* req) { return ADCL_Barrier_init(comm, req); });
}

namespace detail {

/** bcast and ibcast. */
template <auto Function>
Request create_bcast(const char* name, const Buffer& buffer, int root, MPI_Comm comm, OnError on_error) {
  const Creation creation(name, comm);
  return creation.create(
      on_error, [&](ADCL_Request* req) { return Function(buffer.data, buffer.count, buffer.type, root, comm, req); });
}

/** Functions with one part for each rank on the receiving side (allgather), or on both (alltoall). */
template <auto Function, bool SendsParts>
Request create_parts(const char* name, const Buffer& send, const Buffer& receive, MPI_Comm comm, OnError on_error) {
  Creation creation(name, comm);
  int scount = send.count;
  if constexpr (SendsParts) {
    scount = creation.part(send, "send");
  }
  const int rcount = creation.part(receive, "receive");
  return creation.create(on_error, [&](ADCL_Request* req) {
    return Function(send.data, creation.checked(scount), send.type, receive.data, creation.checked(rcount),
                    receive.type, comm, req);
  });
}

/** Reductions with a root. */
template <auto Function>
Request create_reduce(const char* name, const Buffer& send, const Buffer& receive, MPI_Op op, int root, MPI_Comm comm,
                      OnError on_error) {
  Creation creation(name, comm);
  const Buffer& counted = is_in_place(send) ? receive : send;
  if (is_root(root, comm)) {
    creation.require_same_count(send, receive);
  }
  return creation.create(on_error, [&](ADCL_Request* req) {
    return Function(send.data, receive.data, creation.checked(counted.count), counted.type, op, root, comm, req);
  });
}

/** Reductions whose result has the size of the contribution. */
template <auto Function>
Request create_same(const char* name, const Buffer& send, const Buffer& receive, MPI_Op op, MPI_Comm comm,
                    OnError on_error) {
  Creation creation(name, comm);
  creation.require_same_count(send, receive);
  return creation.create(on_error, [&](ADCL_Request* req) {
    return Function(send.data, receive.data, creation.checked(receive.count), receive.type, op, comm, req);
  });
}

}  // namespace detail

template <ReceiveBuffer B>
[[nodiscard]] Request bcast(B&& buffer, int root, MPI_Comm comm, OnError on_error = {}) {
  return detail::create_bcast<ADCL_Bcast_init>("bcast", detail::buffer_of(buffer), root, comm, on_error);
}
template <ReceiveBuffer B>
[[nodiscard]] Request ibcast(B&& buffer, int root, MPI_Comm comm, OnError on_error = {}) {
  return detail::create_bcast<ADCL_Ibcast_init>("ibcast", detail::buffer_of(buffer), root, comm, on_error);
}

template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request gather(S&& send, R&& receive, int root, MPI_Comm comm, OnError on_error = {}) {
  const Buffer from = detail::buffer_of(send);
  const Buffer to = detail::buffer_of(receive);
  detail::Creation creation("gather", comm);
  const int rcount = detail::is_root(root, comm) ? creation.part(to, "receive") : 0;
  return creation.create(on_error, [&](ADCL_Request* req) {
    return ADCL_Gather_init(from.data, creation.checked(from.count), from.type, to.data, creation.checked(rcount),
                            to.type, root, comm, req);
  });
}

/** \p blocks are the parts of the receive buffer; ranks other than the root may pass `{}`. */
template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request gatherv(S&& send, R&& receive, const Blocks& blocks, int root, MPI_Comm comm,
                              OnError on_error = {}) {
  const Buffer from = detail::buffer_of(send);
  const Buffer to = detail::buffer_of(receive);
  detail::Creation creation("gatherv", comm);
  const Blocks parts = detail::is_root(root, comm) ? creation.inside(blocks, to, "receive") : Blocks();
  return creation.create(on_error, [&](ADCL_Request* req) {
    return ADCL_Gatherv_init(from.data, creation.checked(from.count), from.type, to.data, parts.counts.data(),
                             parts.displs.data(), to.type, root, comm, req);
  });
}

template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request scatter(S&& send, R&& receive, int root, MPI_Comm comm, OnError on_error = {}) {
  const Buffer from = detail::buffer_of(send);
  const Buffer to = detail::buffer_of(receive);
  detail::Creation creation("scatter", comm);
  const int scount = detail::is_root(root, comm) ? creation.part(from, "send") : 0;
  return creation.create(on_error, [&](ADCL_Request* req) {
    return ADCL_Scatter_init(from.data, creation.checked(scount), from.type, to.data, creation.checked(to.count),
                             to.type, root, comm, req);
  });
}

/** \p blocks are the parts of the send buffer; ranks other than the root may pass `{}`. */
template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request scatterv(S&& send, const Blocks& blocks, R&& receive, int root, MPI_Comm comm,
                               OnError on_error = {}) {
  const Buffer from = detail::buffer_of(send);
  const Buffer to = detail::buffer_of(receive);
  detail::Creation creation("scatterv", comm);
  const Blocks parts = detail::is_root(root, comm) ? creation.inside(blocks, from, "send") : Blocks();
  return creation.create(on_error, [&](ADCL_Request* req) {
    return ADCL_Scatterv_init(from.data, parts.counts.data(), parts.displs.data(), from.type, to.data,
                              creation.checked(to.count), to.type, root, comm, req);
  });
}

template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request allgather(S&& send, R&& receive, MPI_Comm comm, OnError on_error = {}) {
  return detail::create_parts<ADCL_Allgather_init, false>("allgather", detail::buffer_of(send),
                                                          detail::buffer_of(receive), comm, on_error);
}
template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request iallgather(S&& send, R&& receive, MPI_Comm comm, OnError on_error = {}) {
  return detail::create_parts<ADCL_Iallgather_init, false>("iallgather", detail::buffer_of(send),
                                                           detail::buffer_of(receive), comm, on_error);
}
template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request alltoall(S&& send, R&& receive, MPI_Comm comm, OnError on_error = {}) {
  return detail::create_parts<ADCL_Alltoall_init, true>("alltoall", detail::buffer_of(send), detail::buffer_of(receive),
                                                        comm, on_error);
}
template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request ialltoall(S&& send, R&& receive, MPI_Comm comm, OnError on_error = {}) {
  return detail::create_parts<ADCL_Ialltoall_init, true>("ialltoall", detail::buffer_of(send),
                                                         detail::buffer_of(receive), comm, on_error);
}

template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request allgatherv(S&& send, R&& receive, const Blocks& blocks, MPI_Comm comm, OnError on_error = {}) {
  const Buffer from = detail::buffer_of(send);
  const Buffer to = detail::buffer_of(receive);
  detail::Creation creation("allgatherv", comm);
  const Blocks parts = creation.inside(blocks, to, "receive");
  return creation.create(on_error, [&](ADCL_Request* req) {
    return ADCL_Allgatherv_init(from.data, creation.checked(from.count), from.type, to.data, parts.counts.data(),
                                parts.displs.data(), to.type, comm, req);
  });
}

template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request alltoallv(S&& send, const Blocks& send_blocks, R&& receive, const Blocks& receive_blocks,
                                MPI_Comm comm, OnError on_error = {}) {
  const Buffer from = detail::buffer_of(send);
  const Buffer to = detail::buffer_of(receive);
  detail::Creation creation("alltoallv", comm);
  if (!detail::is_in_place(from)) {
    (void)creation.inside(send_blocks, from, "send");
  }
  const Blocks parts = creation.inside(receive_blocks, to, "receive");
  return creation.create(on_error, [&](ADCL_Request* req) {
    return ADCL_Alltoallv_init(from.data, send_blocks.counts.data(), send_blocks.displs.data(), from.type, to.data,
                               parts.counts.data(), parts.displs.data(), to.type, comm, req);
  });
}

/** \p send may be MPI_IN_PLACE; \p send_blocks is then ignored. */
[[nodiscard]] inline Request alltoallw(const void* send, const TypedBlocks& send_blocks, void* receive,
                                       const TypedBlocks& receive_blocks, MPI_Comm comm, OnError on_error = {}) {
  detail::Creation creation("alltoallw", comm);
  if (send != MPI_IN_PLACE) {
    (void)creation.complete(send_blocks, "send");
  }
  const TypedBlocks parts = creation.complete(receive_blocks, "receive");
  return creation.create(on_error, [&](ADCL_Request* req) {
    return ADCL_Alltoallw_init(send, send_blocks.counts.data(), send_blocks.displs.data(), send_blocks.types.data(),
                               receive, parts.counts.data(), parts.displs.data(), parts.types.data(), comm, req);
  });
}

template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request reduce(S&& send, R&& receive, MPI_Op op, int root, MPI_Comm comm, OnError on_error = {}) {
  return detail::create_reduce<ADCL_Reduce_init>("reduce", detail::buffer_of(send), detail::buffer_of(receive), op,
                                                 root, comm, on_error);
}
template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request ireduce(S&& send, R&& receive, MPI_Op op, int root, MPI_Comm comm, OnError on_error = {}) {
  return detail::create_reduce<ADCL_Ireduce_init>("ireduce", detail::buffer_of(send), detail::buffer_of(receive), op,
                                                  root, comm, on_error);
}
template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request allreduce(S&& send, R&& receive, MPI_Op op, MPI_Comm comm, OnError on_error = {}) {
  return detail::create_same<ADCL_Allreduce_init>("allreduce", detail::buffer_of(send), detail::buffer_of(receive), op,
                                                  comm, on_error);
}
template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request iallreduce(S&& send, R&& receive, MPI_Op op, MPI_Comm comm, OnError on_error = {}) {
  return detail::create_same<ADCL_Iallreduce_init>("iallreduce", detail::buffer_of(send), detail::buffer_of(receive),
                                                   op, comm, on_error);
}
template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request scan(S&& send, R&& receive, MPI_Op op, MPI_Comm comm, OnError on_error = {}) {
  return detail::create_same<ADCL_Scan_init>("scan", detail::buffer_of(send), detail::buffer_of(receive), op, comm,
                                             on_error);
}
template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request exscan(S&& send, R&& receive, MPI_Op op, MPI_Comm comm, OnError on_error = {}) {
  return detail::create_same<ADCL_Exscan_init>("exscan", detail::buffer_of(send), detail::buffer_of(receive), op, comm,
                                               on_error);
}

/** The send buffer has the entries of all ranks, each rank receives its part. In place, the receive buffer has the
 *  entries of all ranks. */
template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request reduce_scatter_block(S&& send, R&& receive, MPI_Op op, MPI_Comm comm, OnError on_error = {}) {
  const Buffer from = detail::buffer_of(send);
  const Buffer to = detail::buffer_of(receive);
  detail::Creation creation("reduce_scatter_block", comm);
  const int part = creation.part(detail::is_in_place(from) ? to : from, detail::is_in_place(from) ? "receive" : "send");
  creation.require(detail::is_in_place(from) || to.count == part, "the receive buffer has " + std::to_string(to.count) +
                                                                      " entries, but the part of each rank has " +
                                                                      std::to_string(part));
  return creation.create(on_error, [&](ADCL_Request* req) {
    return ADCL_Reduce_scatter_block_init(from.data, to.data, creation.checked(part), to.type, op, comm, req);
  });
}

/** Rank i receives counts[i] entries. */
template <SendBuffer S, ReceiveBuffer R>
[[nodiscard]] Request reduce_scatter(S&& send, R&& receive, const std::vector<int>& counts, MPI_Op op, MPI_Comm comm,
                                     OnError on_error = {}) {
  const Buffer from = detail::buffer_of(send);
  const Buffer to = detail::buffer_of(receive);
  detail::Creation creation("reduce_scatter", comm);
  const Blocks parts = creation.inside(packed(counts), detail::is_in_place(from) ? to : from, "send");
  return creation.create(on_error, [&](ADCL_Request* req) {
    return ADCL_Reduce_scatter_init(from.data, to.data, parts.counts.data(), to.type, op, comm, req);
  });
}

}  // namespace adcl

#endif
