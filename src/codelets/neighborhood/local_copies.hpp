/// \file local_copies.hpp
/// A rank's messages to itself, copied from array to array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "codelets/neighborhood/halo_problem.hpp"
#include "core/pack.hpp"
#include "core/problem.hpp"
#include "mpi/datatype.hpp"

namespace adcl::codelets {

class LocalCopies {
 public:
  /// Adds transfers of dense elements of the same layout; \p in has the other ends of \p out, in the same order.
  void add(const HaloProblem& problem, std::span<const Transfer> out, std::span<const Transfer> in) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const HaloArray& from = problem.array(out[i], Way::out);
      const HaloArray& to = problem.array(in[i], Way::in);
      copies_.push_back(
          {out[i].field, RegionCopy(out[i].region, from.grid, in[i].region, to.grid, from.element->extent_bytes())});
    }
  }
  /// Sorts the copies by field, for run() with a field.
  void sort() { std::ranges::stable_sort(copies_, {}, &Copy::field); }
  void run(const Buffers& buffers) const {
    for (const Copy& copy : copies_) {
      run(buffers, copy);
    }
  }
  /// Runs the copies from index \p first to the last copy of \p field. Requires sort(). Returns the index after them.
  std::size_t run(const Buffers& buffers, std::size_t first, int field) const {
    for (; first < copies_.size() && copies_[first].field <= field; ++first) {
      run(buffers, copies_[first]);
    }
    return first;
  }
  [[nodiscard]] bool empty() const noexcept { return copies_.empty(); }

 private:
  struct Copy {
    int field;
    RegionCopy region;
  };
  static void run(const Buffers& buffers, const Copy& copy) {
    const FieldBuffers& place = buffers[static_cast<std::size_t>(copy.field)];
    copy.region.copy(place.send, place.receive);
  }

  std::vector<Copy> copies_;
};

}  // namespace adcl::codelets
