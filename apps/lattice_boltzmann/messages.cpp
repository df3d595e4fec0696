#include "messages.hpp"

#include <algorithm>

namespace lattice_boltzmann {
namespace {

/// True if a population with this velocity leaves a block in that direction.
bool crosses(const Extents& velocity, const Extents& direction) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (direction[d] != 0 && velocity[d] != direction[d]) {
      return false;
    }
  }
  return true;
}

/// The layer, or edge, of points at the side of the direction.
Box sent_box(const Extents& block, const Extents& direction) {
  Box box{{0, 0, 0}, block};
  for (std::size_t d = 0; d < 3; ++d) {
    if (direction[d] > 0) {
      box.low[d] = block[d] - 1;
    } else if (direction[d] < 0) {
      box.high[d] = 1;
    }
  }
  return box;
}

/// The halo that a population with this direction of motion enters.
Box received_box(const Extents& block, const Extents& direction) {
  Box box{{0, 0, 0}, block};
  for (std::size_t d = 0; d < 3; ++d) {
    if (direction[d] > 0) {
      box.low[d] = -1;
      box.high[d] = 0;
    } else if (direction[d] < 0) {
      box.low[d] = block[d];
      box.high[d] = block[d] + 1;
    }
  }
  return box;
}

std::size_t size_of(const Box& box) {
  std::size_t size = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    size *= static_cast<std::size_t>(box.high[d] - box.low[d]);
  }
  return size;
}

}  // namespace

Field::Field(const Extents& block, const Extents& velocity) : velocity_(velocity), extents_(block), shift_{} {
  std::size_t size = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    extents_[d] += velocity[d] != 0 ? 1 : 0;
    shift_[d] = velocity[d] > 0 ? 1 : 0;
    size *= static_cast<std::size_t>(extents_[d]);
  }
  values_.resize(size);
}

Messages::Messages(const Block& block, std::vector<Field>& fields) : comm_(block.comm()), fields_(fields) {
  // The velocities are also the directions: six along axes, twelve along diagonals.
  for (std::size_t i = 1; i < populations; ++i) {
    const Extents& to = velocity[i];
    Direction direction{block.neighbor(to), block.neighbor(velocity[opposite(i)]), static_cast<int>(i), {}, {}, {}};
    std::size_t size = 0;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (crosses(fields[f].velocity(), to)) {
        const Box sent = sent_box(block.extents(), to);
        direction.parts.push_back({f, sent, received_box(block.extents(), to), size_of(sent)});
        size += direction.parts.back().size;
      }
    }
    direction.send_buffer.resize(size);
    direction.receive_buffer.resize(size);
    directions_.push_back(std::move(direction));
  }
  requests_.reserve(2 * directions_.size());
}

void Messages::begin(void* messages, int first, int last) { static_cast<Messages*>(messages)->start(first, last); }

void Messages::end(void* messages, int first, int last) { static_cast<Messages*>(messages)->finish(first, last); }

void Messages::start(int first, int last) {
  const auto wanted = [first, last](const Part& part) {
    return static_cast<int>(part.field) >= first && static_cast<int>(part.field) < last;
  };
  requests_.clear();
  for (Direction& direction : directions_) {
    std::size_t size = 0;
    for (const Part& part : direction.parts) {
      size += wanted(part) ? part.size : 0;
    }
    if (size > 0) {
      MPI_Irecv(direction.receive_buffer.data(), static_cast<int>(size), MPI_DOUBLE, direction.from, direction.tag,
                comm_, &requests_.emplace_back());
    }
  }
  for (Direction& direction : directions_) {
    double* at = direction.send_buffer.data();
    for (const Part& part : direction.parts) {
      if (wanted(part)) {
        const int length = part.sent.high[2] - part.sent.low[2];
        for_lines(part.sent,
                  [&](int x, int y) { at = std::copy_n(fields_[part.field].at(x, y, part.sent.low[2]), length, at); });
      }
    }
    const auto size = at - direction.send_buffer.data();
    if (size > 0) {
      MPI_Isend(direction.send_buffer.data(), static_cast<int>(size), MPI_DOUBLE, direction.to, direction.tag, comm_,
                &requests_.emplace_back());
    }
  }
}

void Messages::finish(int first, int last) {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  for (const Direction& direction : directions_) {
    const double* at = direction.receive_buffer.data();
    for (const Part& part : direction.parts) {
      const int field = static_cast<int>(part.field);
      if (direction.from == MPI_PROC_NULL || field < first || field >= last) {
        continue;
      }
      const int length = part.received.high[2] - part.received.low[2];
      for_lines(part.received, [&](int x, int y) {
        std::copy_n(at, length, fields_[part.field].at(x, y, part.received.low[2]));
        at += length;
      });
    }
  }
}

}  // namespace lattice_boltzmann
