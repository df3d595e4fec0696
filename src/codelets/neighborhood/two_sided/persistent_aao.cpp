// Starts all messages at once as persistent requests: the arguments are checked and matched to buffers when the plan is
// created, not at every exchange. Each packed message is started as soon as it is packed.
// Source: paper section V; LLNL Comb, `mpi_persistent`.
#include "codelets/neighborhood/messages.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "mpi/check.hpp"
#include "mpi/defects.hpp"
#include "mpi/requests.hpp"

namespace adcl::codelets {
namespace {

template <typename Messages>
class PersistentAao final : public Plan {
 public:
  PersistentAao(const HaloProblem& problem, MPI_Comm comm, const Buffers& buffers)
      : messages_(problem, buffers),
        addresses_(buffers.begin(), buffers.end()),
        requests_(messages_.receives() + messages_.sends()) {
    MPI_Request* request = requests_.data();
    for (std::size_t j = 0; j < messages_.receives(); ++j) {
      const Message in = messages_.incoming(j, buffers);
      mpi::check(MPI_Recv_init(in.address, in.count, in.type, in.peer, in.tag, comm, request++), "MPI_Recv_init");
    }
    for (const std::size_t i : messages_.send_order()) {
      const Message out = messages_.outgoing_place(i, buffers);
      mpi::check(MPI_Send_init(out.address, out.count, out.type, out.peer, out.tag, comm, request++), "MPI_Send_init");
    }
  }

  static std::optional<std::string> objection(const HaloProblem& /*problem*/) {
    return mpi::persistent_defect == nullptr ? std::nullopt : std::optional<std::string>(mpi::persistent_defect);
  }

  void start(const Buffers& /*buffers*/) override {
    active_ = true;
    if constexpr (Messages::touches_data) {
      MPI_Request* const send_requests = requests_.data() + messages_.receives();
      requests_.start(static_cast<int>(messages_.receives()));
      for (std::size_t k = 0; k < messages_.sends(); ++k) {
        messages_.prepare(messages_.send_order()[k], addresses_);
        mpi::check(MPI_Start(send_requests + k), "MPI_Start");
      }
    } else {
      requests_.start(requests_.size());
    }
  }

  bool test() override {
    int done = 0;
    mpi::check(MPI_Testall(requests_.size(), requests_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (done != 0) {
      finish();
    }
    return done != 0;
  }

  void wait() override {
    mpi::check(MPI_Waitall(requests_.size(), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    finish();
  }

 private:
  void finish() {
    if (!active_) {
      return;
    }
    active_ = false;
    for (std::size_t j = 0; j < messages_.receives(); ++j) {
      messages_.arrived(j, addresses_);
    }
  }

  Messages messages_;
  std::vector<FieldBuffers> addresses_;  ///< copied: the caller may keep them only during an operation
  mpi::PersistentRequests requests_;
  bool active_ = false;
};

}  // namespace

Rows persistent_aao() {
  return {
      {.name = "Persist_aao",
       .attributes = attributes(Partners::aao, NonContiguous::ddt, Primitive::persistent, Completion::waitall),
       .capabilities = {.nonblocking = true, .fixed_buffers = true},
       .requirements = needs::nothing,
       .source = source::comb,
       .algorithm = message_algorithm<PersistentAao, DatatypeMessages>(),
       .expectation = growth::flat},
      {.name = "Persist_aao_pack",
       .attributes = attributes(Partners::aao, NonContiguous::pack, Primitive::persistent, Completion::waitall),
       .capabilities = {.nonblocking = true, .fixed_buffers = true, .touches_data = true},
       .requirements = needs::nothing,
       .source = source::comb,
       .algorithm = message_algorithm<PersistentAao, PackedMessages>(),
       .expectation = growth::flat},
      {.name = "Joined_persist",
       .attributes = attributes(Partners::joined, NonContiguous::ddt, Primitive::persistent, Completion::waitall),
       .capabilities = {.nonblocking = true, .fixed_buffers = true},
       .requirements = needs::several_messages,
       .source = source::combining,
       .algorithm = message_algorithm<PersistentAao, JoinedDatatypeMessages>(),
       .expectation = growth::flat},
      {.name = "Joined_pack_persist",
       .attributes = attributes(Partners::joined, NonContiguous::pack, Primitive::persistent, Completion::waitall),
       .capabilities = {.nonblocking = true, .fixed_buffers = true, .touches_data = true},
       .requirements = needs::several_messages,
       .source = source::combining,
       .algorithm = message_algorithm<PersistentAao, JoinedPackedMessages>(),
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
