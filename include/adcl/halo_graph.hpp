/** \file halo_graph.hpp
 *  Halos of views with any strides: neighbors as a graph communicator, and the indices of their points. */
#ifndef ADCL_HALO_GRAPH_HPP
#define ADCL_HALO_GRAPH_HPP

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace adcl::detail {

/** The directions in which a process sends, each with the receiver and with the process that sends to this process in
 *  the same direction; MPI_PROC_NULL beyond the grid. The order is the same on all ranks, so messages between two
 *  processes that are neighbors several times match. */
class Directions {
 public:
  Directions(MPI_Comm cart, bool corners) {
    int ndims = 0;
    MPI_Cartdim_get(cart, &ndims);
    const auto n = static_cast<std::size_t>(ndims);
    processes_.resize(n);
    periods_.resize(n);
    coords_.resize(n);
    MPI_Cart_get(cart, ndims, processes_.data(), periods_.data(), coords_.data());
    std::vector<int> steps(n, -1);
    do {
      const auto moves = std::ranges::count_if(steps, [](int step) { return step != 0; });
      if (moves == 1 || (corners && moves > 1)) {
        steps_.push_back(steps);
        receivers_.push_back(neighbor(cart, steps, 1));
        senders_.push_back(neighbor(cart, steps, -1));
      }
    } while (next(steps));
  }

  [[nodiscard]] std::size_t size() const noexcept { return steps_.size(); }
  [[nodiscard]] const std::vector<int>& steps(std::size_t i) const noexcept { return steps_[i]; }
  [[nodiscard]] int receiver(std::size_t i) const noexcept { return receivers_[i]; }
  [[nodiscard]] int sender(std::size_t i) const noexcept { return senders_[i]; }

 private:
  /** The next combination of -1, 0 and 1; false after the last. */
  static bool next(std::vector<int>& steps) {
    for (std::size_t d = steps.size(); d-- > 0;) {
      if (steps[d] < 1) {
        ++steps[d];
        return true;
      }
      steps[d] = -1;
    }
    return false;
  }

  [[nodiscard]] int neighbor(MPI_Comm cart, const std::vector<int>& steps, int sign) const {
    std::vector<int> where(coords_);
    for (std::size_t d = 0; d < where.size(); ++d) {
      where[d] += sign * steps[d];
      if (periods_[d] == 0 && (where[d] < 0 || where[d] >= processes_[d])) {
        return MPI_PROC_NULL;
      }
    }
    int rank = MPI_PROC_NULL;
    MPI_Cart_rank(cart, where.data(), &rank);
    return rank;
  }

  std::vector<int> processes_;
  std::vector<int> periods_;
  std::vector<int> coords_;
  std::vector<std::vector<int>> steps_;
  std::vector<int> receivers_;
  std::vector<int> senders_;
};

/** A graph communicator with these neighbors. */
class GraphComm {
 public:
  /** Collective over \p cart. */
  GraphComm(MPI_Comm cart, const Directions& directions) {
    std::vector<int> sources;
    std::vector<int> destinations;
    for (std::size_t i = 0; i < directions.size(); ++i) {
      if (directions.sender(i) != MPI_PROC_NULL) {
        sources.push_back(directions.sender(i));
      }
      if (directions.receiver(i) != MPI_PROC_NULL) {
        destinations.push_back(directions.receiver(i));
      }
    }
    MPI_Dist_graph_create_adjacent(cart, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                   static_cast<int>(destinations.size()), destinations.data(), MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm_);
  }
  GraphComm(const GraphComm&) = delete;
  GraphComm& operator=(const GraphComm&) = delete;
  ~GraphComm() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) {
      MPI_Comm_free(&comm_);
    }
  }
  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/** Extents and strides of a view, and the widths of the dimensions that the communicator divides. */
struct Layout {
  std::span<const std::size_t> extents;
  std::span<const std::size_t> strides;
  std::span<const int> low;
  std::span<const int> high;
  bool entries_first = false;  ///< the first dimension is not divided; otherwise dimensions after the divided ones

  /** Elements from the first to the last of the view. */
  [[nodiscard]] int span() const {
    std::size_t last = 0;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      last += (extents[d] - 1) * strides[d];
    }
    return static_cast<int>(last) + 1;
  }
};

/** The elements to send in each direction with a receiver, and to receive in each direction with a sender. */
struct GraphIndices {
  std::vector<int> send_counts;
  std::vector<int> send;
  std::vector<int> receive_counts;
  std::vector<int> receive;

  GraphIndices(const Layout& layout, const Directions& directions) {
    for (std::size_t i = 0; i < directions.size(); ++i) {
      if (directions.receiver(i) != MPI_PROC_NULL) {
        send_counts.push_back(append(layout, directions.steps(i), true, send));
      }
      if (directions.sender(i) != MPI_PROC_NULL) {
        receive_counts.push_back(append(layout, directions.steps(i), false, receive));
      }
    }
  }

 private:
  /** Appends the indices of a direction's points, in the order of the view's dimensions; returns their number. A
   * message to the right has the last interior layers, and arrives in the halo at low indices. */
  static int append(const Layout& layout, const std::vector<int>& steps, bool sends, std::vector<int>& indices) {
    const std::size_t n = layout.extents.size();
    std::vector<std::size_t> begin(n, 0);
    std::vector<std::size_t> end(layout.extents.begin(), layout.extents.end());
    for (std::size_t d = 0; d < steps.size(); ++d) {
      const std::size_t at = layout.entries_first ? d + 1 : d;
      const auto low = static_cast<std::size_t>(layout.low[d]);
      const std::size_t first_high = layout.extents[at] - static_cast<std::size_t>(layout.high[d]);
      begin[at] = low;
      end[at] = first_high;
      if (steps[d] > 0) {
        begin[at] = sends ? first_high - low : 0;
        end[at] = sends ? first_high : low;
      } else if (steps[d] < 0) {
        begin[at] = sends ? low : first_high;
        end[at] = sends ? low + static_cast<std::size_t>(layout.high[d]) : layout.extents[at];
      }
      if (begin[at] == end[at]) {
        return 0;
      }
    }
    const std::size_t before = indices.size();
    std::vector<std::size_t> point(begin);
    do {
      std::size_t index = 0;
      for (std::size_t d = 0; d < n; ++d) {
        index += point[d] * layout.strides[d];
      }
      indices.push_back(static_cast<int>(index));
    } while (next(point, begin, end));
    return static_cast<int>(indices.size() - before);
  }

  static bool next(std::vector<std::size_t>& point, const std::vector<std::size_t>& begin,
                   const std::vector<std::size_t>& end) {
    for (std::size_t d = point.size(); d-- > 0;) {
      if (++point[d] < end[d]) {
        return true;
      }
      point[d] = begin[d];
    }
    return false;
  }
};

}  // namespace adcl::detail

#endif
