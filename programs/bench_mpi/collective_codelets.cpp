// ADCL's codelets of collectives, measured with the same data as the MPI functions.
#include <algorithm>

#include "blocks.hpp"
#include "preselected.hpp"

namespace adcl::bench {
namespace {

/// Initializes a request on the two arrays.
using Init = int (*)(const Setting&, const Layout&, void* send, void* receive, ADCL_Request*);

class CodeletTransfer final : public Operation {
 public:
  CodeletTransfer(const Setting& setting, Transfer::Data data, Layout layout, Init init, const std::string& set,
                  const std::string& codelet, bool split)
      : data_(std::move(data)), layout_(std::move(layout)), receive_(data_.receive), split_(split) {
    request_ = preselected(set, codelet, [&](ADCL_Request* request) {
      return init(setting, layout_, data_.send.data(), receive_.data(), request);
    });
  }
  ~CodeletTransfer() override { ADCL_Request_free(&request_); }

  void run() override {
    if (split_) {
      code_ = ADCL_Request_init(request_);
      code_ = code_ == ADCL_SUCCESS ? ADCL_Request_wait(request_) : code_;
    } else {
      code_ = ADCL_Request_start(request_);
    }
  }
  bool correct() override {
    std::copy(data_.receive.begin(), data_.receive.end(), receive_.begin());
    run();
    return code_ == ADCL_SUCCESS && std::equal(data_.expected.begin(), data_.expected.end(), receive_.begin());
  }
  [[nodiscard]] ADCL_Request request() const { return request_; }

 private:
  Transfer::Data data_;
  Layout layout_;
  Bytes receive_;
  bool split_;  ///< the operation is started and completed by two calls
  ADCL_Request request_ = ADCL_REQUEST_NULL;
  int code_ = ADCL_SUCCESS;
};

/// A function set with its data and the call that creates the request.
struct Row {
  const char* set;
  const char* summary;
  bool adds;  ///< the collective adds doubles
  Transfer::Data (*data)(const Setting&);
  Init init;
  bool split = false;  ///< set for overlap: start, then wait at once
};

Transfer::Data nothing(const Setting& /*setting*/) { return {}; }
Transfer::Data up_to_own(const Setting& setting) { return prefix_sum(setting, setting.rank + 1); }
Transfer::Data before_own(const Setting& setting) { return prefix_sum(setting, setting.rank); }

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"barrier", "barrier", false, nothing,
       [](const Setting& s, const Layout&, void*, void*, ADCL_Request* r) { return ADCL_Barrier_init(s.comm, r); }},
      {"bcast", "broadcast", false, from_root_to_all,
       [](const Setting& s, const Layout&, void*, void* in, ADCL_Request* r) {
         return ADCL_Bcast_init(in, bytes_of(s), MPI_BYTE, 0, s.comm, r);
       }},
      {"gather", "gather", false, to_root,
       [](const Setting& s, const Layout&, void* out, void* in, ADCL_Request* r) {
         return ADCL_Gather_init(out, bytes_of(s), MPI_BYTE, in, bytes_of(s), MPI_BYTE, 0, s.comm, r);
       }},
      {"gatherv", "gather", false, to_root,
       [](const Setting& s, const Layout& l, void* out, void* in, ADCL_Request* r) {
         return ADCL_Gatherv_init(out, bytes_of(s), MPI_BYTE, in, l.counts.data(), l.displacements.data(), MPI_BYTE, 0,
                                  s.comm, r);
       }},
      {"scatter", "scatter", false, from_root,
       [](const Setting& s, const Layout&, void* out, void* in, ADCL_Request* r) {
         return ADCL_Scatter_init(out, bytes_of(s), MPI_BYTE, in, bytes_of(s), MPI_BYTE, 0, s.comm, r);
       }},
      {"scatterv", "scatter", false, from_root,
       [](const Setting& s, const Layout& l, void* out, void* in, ADCL_Request* r) {
         return ADCL_Scatterv_init(out, l.counts.data(), l.displacements.data(), MPI_BYTE, in, bytes_of(s), MPI_BYTE, 0,
                                   s.comm, r);
       }},
      {"allgather", "allgather", false, to_all,
       [](const Setting& s, const Layout&, void* out, void* in, ADCL_Request* r) {
         return ADCL_Allgather_init(out, bytes_of(s), MPI_BYTE, in, bytes_of(s), MPI_BYTE, s.comm, r);
       }},
      {"allgatherv", "allgather", false, to_all,
       [](const Setting& s, const Layout& l, void* out, void* in, ADCL_Request* r) {
         return ADCL_Allgatherv_init(out, bytes_of(s), MPI_BYTE, in, l.counts.data(), l.displacements.data(), MPI_BYTE,
                                     s.comm, r);
       }},
      {"alltoall", "all-to-all", false, between_all,
       [](const Setting& s, const Layout&, void* out, void* in, ADCL_Request* r) {
         return ADCL_Alltoall_init(out, bytes_of(s), MPI_BYTE, in, bytes_of(s), MPI_BYTE, s.comm, r);
       }},
      {"alltoallv", "all-to-all", false, between_all,
       [](const Setting& s, const Layout& l, void* out, void* in, ADCL_Request* r) {
         return ADCL_Alltoallv_init(out, l.counts.data(), l.displacements.data(), MPI_BYTE, in, l.counts.data(),
                                    l.displacements.data(), MPI_BYTE, s.comm, r);
       }},
      {"alltoallw", "all-to-all", false, between_all,
       [](const Setting& s, const Layout& l, void* out, void* in, ADCL_Request* r) {
         return ADCL_Alltoallw_init(out, l.counts.data(), l.displacements.data(), l.types.data(), in, l.counts.data(),
                                    l.displacements.data(), l.types.data(), s.comm, r);
       }},
      {"reduce", "sum of doubles at the root", true, sum_at_root,
       [](const Setting& s, const Layout&, void* out, void* in, ADCL_Request* r) {
         return ADCL_Reduce_init(out, in, doubles_of(s), MPI_DOUBLE, MPI_SUM, 0, s.comm, r);
       }},
      {"allreduce", "sum of doubles on all ranks", true, sum_of_all,
       [](const Setting& s, const Layout&, void* out, void* in, ADCL_Request* r) {
         return ADCL_Allreduce_init(out, in, doubles_of(s), MPI_DOUBLE, MPI_SUM, s.comm, r);
       }},
      {"reduce_scatter_block", "sum of doubles, one block of the result on each rank", true, scattered_sum,
       [](const Setting& s, const Layout&, void* out, void* in, ADCL_Request* r) {
         return ADCL_Reduce_scatter_block_init(out, in, doubles_of(s), MPI_DOUBLE, MPI_SUM, s.comm, r);
       }},
      {"reduce_scatter", "sum of doubles, one block of the result on each rank", true, scattered_sum,
       [](const Setting& s, const Layout& l, void* out, void* in, ADCL_Request* r) {
         return ADCL_Reduce_scatter_init(out, in, l.counts.data(), MPI_DOUBLE, MPI_SUM, s.comm, r);
       }},
      {"scan", "prefix sum of doubles", true, up_to_own,
       [](const Setting& s, const Layout&, void* out, void* in, ADCL_Request* r) {
         return ADCL_Scan_init(out, in, doubles_of(s), MPI_DOUBLE, MPI_SUM, s.comm, r);
       }},
      {"exscan", "prefix sum of doubles", true, before_own,
       [](const Setting& s, const Layout&, void* out, void* in, ADCL_Request* r) {
         return ADCL_Exscan_init(out, in, doubles_of(s), MPI_DOUBLE, MPI_SUM, s.comm, r);
       }},
      {"ibcast", "nonblocking broadcast, including the wait", false, from_root_to_all,
       [](const Setting& s, const Layout&, void*, void* in, ADCL_Request* r) {
         return ADCL_Ibcast_init(in, bytes_of(s), MPI_BYTE, 0, s.comm, r);
       },
       true},
      {"iallgather", "nonblocking allgather, including the wait", false, to_all,
       [](const Setting& s, const Layout&, void* out, void* in, ADCL_Request* r) {
         return ADCL_Iallgather_init(out, bytes_of(s), MPI_BYTE, in, bytes_of(s), MPI_BYTE, s.comm, r);
       },
       true},
      {"ialltoall", "nonblocking all-to-all, including the wait", false, between_all,
       [](const Setting& s, const Layout&, void* out, void* in, ADCL_Request* r) {
         return ADCL_Ialltoall_init(out, bytes_of(s), MPI_BYTE, in, bytes_of(s), MPI_BYTE, s.comm, r);
       },
       true},
      {"ireduce", "nonblocking sum of doubles at the root, including the wait", true, sum_at_root,
       [](const Setting& s, const Layout&, void* out, void* in, ADCL_Request* r) {
         return ADCL_Ireduce_init(out, in, doubles_of(s), MPI_DOUBLE, MPI_SUM, 0, s.comm, r);
       },
       true},
      {"iallreduce", "nonblocking sum of doubles on all ranks, including the wait", true, sum_of_all,
       [](const Setting& s, const Layout&, void* out, void* in, ADCL_Request* r) {
         return ADCL_Iallreduce_init(out, in, doubles_of(s), MPI_DOUBLE, MPI_SUM, s.comm, r);
       },
       true},
  };
  return all;
}

}  // namespace

ADCL_Request request_of(const Operation& operation) {
  const auto* transfer = dynamic_cast<const CodeletTransfer*>(&operation);
  return transfer == nullptr ? ADCL_REQUEST_NULL : transfer->request();
}

std::vector<Pattern> collective_patterns() {
  std::vector<Pattern> patterns;
  for (const Row& row : rows()) {
    const bool empty = row.data == &nothing;
    patterns.push_back(
        {row.set, row.summary,
         empty      ? 0
         : row.adds ? sizeof(double)
                    : 1,
         false, [&row](const Setting& setting, const std::string& set, const std::string& codelet) -> OperationPointer {
           Layout layout = row.adds ? Layout(setting, MPI_DOUBLE, doubles_of(setting)) : Layout(setting);
           return std::make_unique<CodeletTransfer>(setting, row.data(setting), std::move(layout), row.init, set,
                                                    codelet, row.split);
         }});
  }
  return patterns;
}

}  // namespace adcl::bench
