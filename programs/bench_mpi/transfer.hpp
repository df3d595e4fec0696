/// \file transfer.hpp
/// An operation that moves data and can check the result.
#pragma once

#include <functional>
#include <vector>

#include "function.hpp"

namespace adcl::bench {

using Bytes = std::vector<unsigned char>;

class Transfer final : public Operation {
 public:
  struct Data {
    Bytes send;
    Bytes receive;   ///< contents before the call
    Bytes expected;  ///< first bytes of the receive buffer after the call
  };
  using Call = std::function<void(const void* send, void* receive)>;

  Transfer(Data data, Call call) : data_(std::move(data)), receive_(data_.receive), call_(std::move(call)) {}

  void run() override { call_(data_.send.data(), receive_.data()); }
  bool correct() override;

 private:
  Data data_;
  Bytes receive_;
  Call call_;
};

/// The block that \p source sends to \p target.
Bytes block_of(int source, int target, std::size_t bytes);
void append(Bytes& to, const Bytes& what);
/// Doubles that are whole numbers, so that their sums are exact: the contribution of \p rank, and the sum of the
/// contributions of the first \p ranks ranks, both from element \p first on.
Bytes addends(int rank, std::size_t count, std::size_t first = 0);
Bytes sums(int ranks, std::size_t count, std::size_t first = 0);

}  // namespace adcl::bench
