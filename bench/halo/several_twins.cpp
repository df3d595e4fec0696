#include "halo/several_twins.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

namespace several_twins {
namespace {

using Index = std::array<int, 3>;

/// A part of a block, halo included.
struct Box {
  Index start{};
  Index extent{};
  [[nodiscard]] std::size_t cells() const {
    return static_cast<std::size_t>(extent[0]) * static_cast<std::size_t>(extent[1]) *
           static_cast<std::size_t>(extent[2]);
  }
};

/// Source or destination of the data of one direction.
struct Part {
  int direction = 0;  ///< direction of motion; both sides sort by it
  Box box;
};

/// Data exchanged with one neighbor or process.
struct Message {
  int peer = 0;
  int tag = 0;
  std::vector<Part> parts;
  std::vector<double> buffer;
};

Box box_of(int side, const Index& towards, bool halo) {
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.extent[d] = towards[d] == 0 ? side : 1;
    box.start[d] = towards[d] > 0 ? side : 1;
    if (halo && towards[d] != 0) {
      box.start[d] = towards[d] > 0 ? side + 1 : 0;
    }
  }
  return box;
}

template <typename Function>
void for_each_row(const Box& box, int side, const Function& function) {
  const auto row = static_cast<std::size_t>(side) + 2;
  for (int i = box.start[0]; i < box.start[0] + box.extent[0]; ++i) {
    for (int j = box.start[1]; j < box.start[1] + box.extent[1]; ++j) {
      function((static_cast<std::size_t>(i) * row + static_cast<std::size_t>(j)) * row +
               static_cast<std::size_t>(box.start[2]));
    }
  }
}

class Joined final : public Twin {
 public:
  Joined(const Blocks& blocks, bool per_rank) : blocks_(blocks) {
    int me = 0;
    Index coords{};
    MPI_Comm_rank(blocks.cart, &me);
    MPI_Cart_coords(blocks.cart, me, 3, coords.data());
    std::map<std::pair<int, int>, Message> out;
    std::map<std::pair<int, int>, Message> in;
    for (int number = 0; number < 27; ++number) {
      const Index towards{number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1};
      const auto steps = std::count_if(towards.begin(), towards.end(), [](int step) { return step != 0; });
      if (steps == 0 || (steps > 1 && !blocks.diagonals)) {
        continue;
      }
      Index there{};
      for (std::size_t d = 0; d < 3; ++d) {
        there[d] = coords[d] + towards[d];
      }
      int peer = 0;
      MPI_Cart_rank(blocks.cart, there.data(), &peer);
      // Data sent toward a neighbor have the direction's number; data received from it move in the opposite direction.
      add(out, peer, number, per_rank, {number, box_of(blocks.side, towards, false)});
      add(in, peer, 26 - number, per_rank, {26 - number, box_of(blocks.side, towards, true)});
    }
    take(out, me, sends_, own_out_);
    take(in, me, receives_, own_in_);
    receive_requests_.resize(receives_.size(), MPI_REQUEST_NULL);
    send_requests_.resize(sends_.size(), MPI_REQUEST_NULL);
  }

  void exchange() override {
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      Message& message = receives_[i];
      MPI_Irecv(message.buffer.data(), static_cast<int>(message.buffer.size()), MPI_DOUBLE, message.peer, message.tag,
                blocks_.cart, &receive_requests_[i]);
    }
    for (std::size_t i = 0; i < sends_.size(); ++i) {
      Message& message = sends_[i];
      pack(message);
      MPI_Isend(message.buffer.data(), static_cast<int>(message.buffer.size()), MPI_DOUBLE, message.peer, message.tag,
                blocks_.cart, &send_requests_[i]);
    }
    for (std::size_t i = 0; i < own_out_.size(); ++i) {
      copy(own_out_[i].box, own_in_[i].box);
    }
    for (std::size_t n = 0; n < receives_.size(); ++n) {
      int i = 0;
      MPI_Waitany(static_cast<int>(receives_.size()), receive_requests_.data(), &i, MPI_STATUS_IGNORE);
      unpack(receives_[static_cast<std::size_t>(i)]);
    }
    MPI_Waitall(static_cast<int>(sends_.size()), send_requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  using Messages = std::map<std::pair<int, int>, Message>;

  static void add(Messages& messages, int peer, int direction, bool per_rank, const Part& part) {
    Message& message = messages[{peer, per_rank ? 0 : direction}];
    message.peer = peer;
    message.tag = per_rank ? 0 : direction;
    message.parts.push_back(part);
  }

  void take(Messages& messages, int me, std::vector<Message>& others, std::vector<Part>& own) const {
    for (auto& [key, message] : messages) {
      std::sort(message.parts.begin(), message.parts.end(),
                [](const Part& a, const Part& b) { return a.direction < b.direction; });
      if (message.peer == me) {
        own.insert(own.end(), message.parts.begin(), message.parts.end());
        continue;
      }
      std::size_t cells = 0;
      for (const Part& part : message.parts) {
        cells += part.box.cells();
      }
      message.buffer.resize(cells * blocks_.data.size());
      others.push_back(std::move(message));
    }
  }

  void pack(Message& message) const {
    double* buffer = message.buffer.data();
    for (const double* data : blocks_.data) {
      for (const Part& part : message.parts) {
        const auto length = static_cast<std::size_t>(part.box.extent[2]);
        for_each_row(part.box, blocks_.side, [&](std::size_t first) {
          const double* cells = data + first;
          for (std::size_t k = 0; k < length; ++k) {
            *buffer++ = cells[k];
          }
        });
      }
    }
  }

  void unpack(const Message& message) const {
    const double* buffer = message.buffer.data();
    for (double* data : blocks_.data) {
      for (const Part& part : message.parts) {
        const auto length = static_cast<std::size_t>(part.box.extent[2]);
        for_each_row(part.box, blocks_.side, [&](std::size_t first) {
          double* cells = data + first;
          for (std::size_t k = 0; k < length; ++k) {
            cells[k] = *buffer++;
          }
        });
      }
    }
  }

  void copy(const Box& from, const Box& to) const {
    const auto row = static_cast<std::size_t>(blocks_.side) + 2;
    const auto at = [row](const Box& box) {
      return (static_cast<std::size_t>(box.start[0]) * row + static_cast<std::size_t>(box.start[1])) * row +
             static_cast<std::size_t>(box.start[2]);
    };
    const std::ptrdiff_t shift = static_cast<std::ptrdiff_t>(at(to)) - static_cast<std::ptrdiff_t>(at(from));
    const auto length = static_cast<std::size_t>(from.extent[2]);
    for (double* data : blocks_.data) {
      for_each_row(from, blocks_.side, [&](std::size_t first) {
        const double* source = data + first;
        double* target = data + static_cast<std::ptrdiff_t>(first) + shift;
        for (std::size_t k = 0; k < length; ++k) {
          target[k] = source[k];
        }
      });
    }
  }

  Blocks blocks_;
  std::vector<Message> sends_;
  std::vector<Message> receives_;
  std::vector<Part> own_out_;
  std::vector<Part> own_in_;
  std::vector<MPI_Request> receive_requests_;
  std::vector<MPI_Request> send_requests_;
};

}  // namespace

const std::vector<Row>& table() {
  static const std::vector<Row> rows = {
      {"per_neighbor",
       [](const Blocks& blocks) -> std::unique_ptr<Twin> { return std::make_unique<Joined>(blocks, false); }},
      {"per_rank",
       [](const Blocks& blocks) -> std::unique_ptr<Twin> { return std::make_unique<Joined>(blocks, true); }}};
  return rows;
}

}  // namespace several_twins
