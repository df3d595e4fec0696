#include "codelets/neighborhood/one_sided/remote_access.hpp"

#include <algorithm>

#include "codelets/neighborhood/layouts.hpp"
#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/defects.hpp"
#include "mpi/environment.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {

RemoteAccess::RemoteAccess(const HaloProblem& problem, mpi::Context& context, const Buffers& buffers, Access access,
                           WindowKind array)
    : access_(access),
      active_(access == Access::put ? &problem.sends : &problem.receives),
      passive_(access == Access::put ? &problem.receives : &problem.sends),
      origin_(address_of(buffers, 0, access == Access::put ? Way::out : Way::in)) {
  const Way exposed = access == Access::put ? Way::in : Way::out;
  const HaloField& field = problem.fields.front();
  const HaloArray& array_exposed = exposed == Way::in ? field.receive : field.send;
  Span span = span_of(array_exposed.grid, *array_exposed.element, address_of(buffers, 0, exposed));
  open_window(context, window_key(problem, array), span);
  make_operations(problem, context.comm(), span);
}

RemoteAccess::Span RemoteAccess::span_of(const Grid& grid, const mpi::Element& element, void* array) {
  // Elements may begin before their address (negative lower bound) or be stored backwards (negative extent).
  const std::int64_t last = std::max<std::int64_t>(grid.points() - 1, 0) * element.extent_bytes();
  const std::int64_t begin = std::min<std::int64_t>(0, element.true_lower_bound() + std::min<std::int64_t>(last, 0));
  const std::int64_t end = element.true_lower_bound() + element.true_extent() + std::max<std::int64_t>(last, 0);
  // MPICH 4.0 on UCX uses the multiple of 16 below the given address as the beginning of the window.
  constexpr std::uintptr_t alignment = 64;
  auto* base = static_cast<std::byte*>(array) + begin;
  base -= reinterpret_cast<std::uintptr_t>(base) % alignment;
  Span span;
  span.base = base;
  span.first_point = static_cast<std::byte*>(array) - base;
  span.bytes = span.first_point + std::max<std::int64_t>(end, 0);
  return span;
}

void RemoteAccess::make_operations(const HaloProblem& problem, MPI_Comm comm, const Span& span) {
  const bool put = access_ == Access::put;
  const HaloField& field = problem.fields.front();
  const HaloArray& own = put ? field.send : field.receive;
  // The arrays of all ranks have the same element layout (applicable), so this rank's element applies to the target.
  const HaloArray& exposed = put ? field.receive : field.send;
  const Layout array{exposed.grid, span.first_point, {}};
  const std::vector<Layout> targets = exchange_layouts(comm, problem.tag_base, *passive_, {&array, 1}, *active_);
  mpi::run_collectively(comm, [&] {
    for (std::size_t i = 0; i < active_->size(); ++i) {
      const Transfer& transfer = (*active_)[i];
      const Layout& target = targets[i];
      require(
          transfer.region.count() * own.element->size_bytes() == target.region.count() * exposed.element->size_bytes(),
          Code::mismatch, "rank ", transfer.peer, " has a halo of ", target.region.count(),
          " points, but this rank has ", transfer.region.count(), "; use the same block size on neighboring ranks");
      Operation operation;
      if (transfer.region.count() > 0 && own.element->size_bytes() > 0) {
        operation.peer = transfer.peer;
        operation.displacement = target.first_point;
        operation.origin = mpi::region_type(transfer.region, own.grid, *own.element);
        operation.target = mpi::region_type(target.region, target.grid, *exposed.element);
      }
      operations_.push_back(std::move(operation));
    }
  });
}

void RemoteAccess::open_window(mpi::Context& context, const mpi::ObjectKey& key, Span& span) {
  window_ = context.cached_window(key, span.base, [&] {
    MPI_Win window = MPI_WIN_NULL;
    mpi::check(MPI_Win_create(span.base, span.bytes, 1, MPI_INFO_NULL, context.comm(), &window), "MPI_Win_create");
    return window;
  });
  mpi::run_collectively(context.comm(), [&] {
    require(span.bytes == 0 || window_->memory() == span.base, Code::state,
            "the window of this request covers another array; free the plans for the old address before you create "
            "plans for the new array");
    if (span.bytes > 0) {
      // MPICH 4.0 on UCX may use the beginning of another, overlapping window.
      span.first_point += static_cast<const std::byte*>(span.base) - static_cast<const std::byte*>(window_->base());
    }
  });
}

void RemoteAccess::issue(std::size_t i) const {
  const Operation& operation = operations_[i];
  if (operation.peer == MPI_PROC_NULL) {
    return;
  }
  if (access_ == Access::put) {
    mpi::check(MPI_Put(origin_, 1, operation.origin.get(), operation.peer, operation.displacement, 1,
                       operation.target.get(), window_->get()),
               "MPI_Put");
  } else {
    mpi::check(MPI_Get(origin_, 1, operation.origin.get(), operation.peer, operation.displacement, 1,
                       operation.target.get(), window_->get()),
               "MPI_Get");
  }
}

std::optional<std::string> RemoteAccess::applicable(const HaloProblem& problem) {
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  // The window creation would fail, and print a message to standard error in a way that is not thread-safe.
  if (problem.neighborhood.size == 1 && mpi::has_thread_multiple()) {
    return "Open MPI before version 5 does not support windows of a single process with MPI_THREAD_MULTIPLE";
  }
#endif
  if (problem.window_defect != nullptr) {
    return problem.window_defect;
  }
  if (mpi::self_copy_defect != nullptr && sends_to_itself(problem)) {
    return mpi::self_copy_defect;
  }
  if (problem.several_fields()) {
    return "one-sided codelets expose one array to the neighbors, but this request has several arrays";
  }
  if (!problem.uniform_layout) {
    return "the processes use datatypes with different memory layouts, but a one-sided access must specify the "
           "target's layout";
  }
  return std::nullopt;
}

std::size_t RemoteAccess::bytes(const HaloProblem& problem) {
  // Datatypes of this rank's and of the neighbors' regions, and the data that MPI libraries store per window.
  constexpr std::size_t window_bytes = 4096;
  return 2 * DatatypeMessages::bytes(problem) + window_bytes;
}

}  // namespace adcl::codelets
