// All receives are posted before the first blocking send, so no send waits for a rank that is itself waiting.
// Source: thesis Table 3.1, rows 4 and 6.
#include "codelets/neighborhood/rows.hpp"
#include "codelets/neighborhood/two_sided/pairwise.hpp"

namespace adcl::codelets {
namespace {

template <typename Messages>
class SendIrecvAao final : public BlockingPlan {
 public:
  SendIrecvAao(const HaloProblem& problem, MPI_Comm comm, const Buffers& buffers)
      : messages_(problem, buffers), comm_(comm), requests_(messages_.receives(), MPI_REQUEST_NULL) {}

  void start(const Buffers& buffers) override {
    for (std::size_t j = 0; j < requests_.size(); ++j) {
      const Message in = messages_.incoming(j, buffers);
      mpi::check(MPI_Irecv(in.address, in.count, in.type, in.peer, in.tag, comm_, &requests_[j]), "MPI_Irecv");
    }
    for (const std::size_t i : messages_.send_order()) {
      const Message out = messages_.outgoing(i, buffers);
      mpi::check(MPI_Send(out.address, out.count, out.type, out.peer, out.tag, comm_), "MPI_Send");
    }
    mpi::check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    for (std::size_t j = 0; j < requests_.size(); ++j) {
      messages_.arrived(j, buffers);
    }
  }

 private:
  Messages messages_;
  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

Rows send_irecv_aao() {
  return {
      {.name = "SIr_aao",
       .attributes = attributes(Partners::aao, NonContiguous::ddt, Primitive::send_irecv, Completion::waitall),
       .capabilities = blocking,
       .requirements = needs::nothing,
       .source = source::thesis(4),
       .algorithm = message_algorithm<SendIrecvAao, DatatypeMessages>(),
       .expectation = growth::flat},
      {.name = "SIr_aao_pack",
       .attributes = attributes(Partners::aao, NonContiguous::pack, Primitive::send_irecv, Completion::waitall),
       .capabilities = {.touches_data = true},
       .requirements = needs::nothing,
       .source = source::thesis(6),
       .algorithm = message_algorithm<SendIrecvAao, PackedMessages>(),
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
