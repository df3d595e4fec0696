// Exchanges with packing, as in LLNL Comb: completion of all, any or some messages, persistent requests, one message
// per side or per rank.
#include <algorithm>
#include <iterator>
#include <utility>

#include "halo/twins/twins.hpp"

namespace twins {
namespace {

enum class Joining { per_side, per_rank };
enum class Completion { all, any, some };

/// Contents of one message: boxes of all fields.
struct Message {
  int peer = MPI_PROC_NULL;
  int tag = 0;
  std::vector<Box> boxes;
  std::vector<double> buffer;
};

/// Sides with the same peer share a message when joined; both ranks order them by the sender's tags.
std::vector<Message> messages_of(std::vector<Side> sides, Joining joining, bool sending, std::size_t fields) {
  const auto tag = [sending](const Side& side) { return sending ? side.send_tag : side.receive_tag; };
  std::sort(sides.begin(), sides.end(), [&](const Side& a, const Side& b) { return tag(a) < tag(b); });
  std::vector<Message> messages;
  for (const Side& side : sides) {
    auto message = messages.end();
    if (joining == Joining::per_rank) {
      message = std::find_if(messages.begin(), messages.end(), [&](const Message& m) { return m.peer == side.peer; });
    }
    if (message == messages.end()) {
      messages.push_back({side.peer, joining == Joining::per_rank ? 0 : tag(side), {}, {}});
      message = messages.end() - 1;
    }
    const Box& box = sending ? side.send : side.receive;
    message->boxes.push_back(box);
    message->buffer.resize(message->buffer.size() + fields * box.count());
  }
  return messages;
}

template <Joining joining, Completion completion, bool persistent>
class Packed final : public Twin {
 public:
  explicit Packed(const Block& block) : block_(block) {
    std::vector<Side> travelling = sides_of(block);
    if constexpr (joining == Joining::per_rank) {
      int rank = 0;
      MPI_Comm_rank(block.cart, &rank);
      const auto to_itself = [rank](const Side& side) { return side.peer == rank; };
      std::copy_if(travelling.begin(), travelling.end(), std::back_inserter(local_), to_itself);
      std::erase_if(travelling, to_itself);
    }
    out_ = messages_of(travelling, joining, true, block.fields.size());
    in_ = messages_of(std::move(travelling), joining, false, block.fields.size());
    receives_.resize(in_.size(), MPI_REQUEST_NULL);
    sends_.resize(out_.size(), MPI_REQUEST_NULL);
    arrived_.resize(in_.size());
    if constexpr (persistent) {
      for (std::size_t i = 0; i < in_.size(); ++i) {
        MPI_Recv_init(in_[i].buffer.data(), count(in_[i]), MPI_DOUBLE, in_[i].peer, in_[i].tag, block.cart,
                      &receives_[i]);
      }
      for (std::size_t i = 0; i < out_.size(); ++i) {
        MPI_Send_init(out_[i].buffer.data(), count(out_[i]), MPI_DOUBLE, out_[i].peer, out_[i].tag, block.cart,
                      &sends_[i]);
      }
    }
  }
  ~Packed() override {
    if constexpr (persistent) {
      for (auto* requests : {&receives_, &sends_}) {
        for (MPI_Request& request : *requests) {
          MPI_Request_free(&request);
        }
      }
    }
  }

  void exchange() override {
    start_receives();
    for (std::size_t i = 0; i < out_.size(); ++i) {
      send(i);
    }
    for (const Side& side : local_) {
      for (double* field : block_.fields) {
        copy(side.sent_by_peer, field, side.receive, field);
      }
    }
    complete_receives();
    MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  static int count(const Message& message) { return static_cast<int>(message.buffer.size()); }

  void start_receives() {
    if constexpr (persistent) {
      if (!receives_.empty()) {  // Open MPI rejects an empty list
        MPI_Startall(static_cast<int>(receives_.size()), receives_.data());
      }
    } else {
      for (std::size_t i = 0; i < in_.size(); ++i) {
        MPI_Irecv(in_[i].buffer.data(), count(in_[i]), MPI_DOUBLE, in_[i].peer, in_[i].tag, block_.cart, &receives_[i]);
      }
    }
  }

  void send(std::size_t i) {
    Message& message = out_[i];
    double* position = message.buffer.data();
    for (const double* field : block_.fields) {
      for (const Box& box : message.boxes) {
        position = pack(box, field, position);
      }
    }
    if constexpr (persistent) {
      MPI_Start(&sends_[i]);
    } else {
      MPI_Isend(message.buffer.data(), count(message), MPI_DOUBLE, message.peer, message.tag, block_.cart, &sends_[i]);
    }
  }

  void complete_receives() {
    const int total = static_cast<int>(receives_.size());
    if constexpr (completion == Completion::all) {
      MPI_Waitall(total, receives_.data(), MPI_STATUSES_IGNORE);
      for (const Message& message : in_) {
        take(message);
      }
    } else {
      for (int done = 0; done < total;) {
        int number = 1;
        if constexpr (completion == Completion::any) {
          MPI_Waitany(total, receives_.data(), arrived_.data(), MPI_STATUS_IGNORE);
        } else {
          MPI_Waitsome(total, receives_.data(), &number, arrived_.data(), MPI_STATUSES_IGNORE);
        }
        for (int k = 0; k < number; ++k) {
          take(in_[static_cast<std::size_t>(arrived_[static_cast<std::size_t>(k)])]);
        }
        done += number;
      }
    }
  }

  void take(const Message& message) const {
    const double* position = message.buffer.data();
    for (double* field : block_.fields) {
      for (const Box& box : message.boxes) {
        position = unpack(box, position, field);
      }
    }
  }

  Block block_;
  std::vector<Side> local_;  ///< for this rank, copied without a message
  std::vector<Message> out_;
  std::vector<Message> in_;
  std::vector<MPI_Request> receives_;
  std::vector<MPI_Request> sends_;
  std::vector<int> arrived_;
};

}  // namespace

const std::vector<Row>& packed_twins() {
  static const std::vector<Row> rows = {
      {"packed", make_twin<Packed<Joining::per_side, Completion::all, false>>},
      {"packed any", make_twin<Packed<Joining::per_side, Completion::any, false>>},
      {"packed some", make_twin<Packed<Joining::per_side, Completion::some, false>>},
      {"packed persistent", make_twin<Packed<Joining::per_side, Completion::all, true>>},
      {"joined", make_twin<Packed<Joining::per_rank, Completion::any, false>>},
      {"joined persistent", make_twin<Packed<Joining::per_rank, Completion::any, true>>}};
  return rows;
}

}  // namespace twins
