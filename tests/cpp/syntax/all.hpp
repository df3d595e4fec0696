/// \file all.hpp
/// Uses every template of adcl.hpp. Only compiled, by several compilers.
#include <adcl.hpp>

#include <array>
#include <span>
#include <vector>

#include "../views.hpp"

static_assert(adcl::StridedView<views::Mdspan<float, 3>>);
static_assert(adcl::StridedView<views::KokkosView<double, 2>>);
static_assert(adcl::StridedView<adcl::View<int, 1>>);
static_assert(!adcl::StridedView<std::span<double>>);
static_assert(adcl::ContiguousArray<std::vector<double>&>);
static_assert(!adcl::ContiguousArray<std::vector<double>>, "the elements of a temporary would not exist any more");
static_assert(adcl::SendBuffer<std::span<const double>>);
static_assert(!adcl::ReceiveBuffer<std::span<const double>>);
static_assert(!adcl::SendBuffer<std::vector<void*>&>, "pointers have no datatype");

inline void all_templates(MPI_Comm comm, std::vector<double>& values, std::error_code& code) {
  const adcl::Blocks blocks = adcl::packed({1});
  const adcl::TypedBlocks typed{.counts = {1}, .displs = {0}, .types = {MPI_DOUBLE}};
  const std::span<const double> from = values;
  std::vector<adcl::Request> all;
  all.push_back(adcl::barrier(comm, code));
  all.push_back(adcl::bcast(values, 0, comm, code));
  all.push_back(adcl::ibcast(values, 0, comm, code));
  all.push_back(adcl::gather(from, values, 0, comm, code));
  all.push_back(adcl::gatherv(from, values, blocks, 0, comm, code));
  all.push_back(adcl::scatter(from, values, 0, comm, code));
  all.push_back(adcl::scatterv(from, blocks, values, 0, comm, code));
  all.push_back(adcl::allgather(from, values, comm, code));
  all.push_back(adcl::iallgather(from, values, comm, code));
  all.push_back(adcl::allgatherv(from, values, blocks, comm, code));
  all.push_back(adcl::alltoall(adcl::in_place, values, comm, code));
  all.push_back(adcl::ialltoall(from, values, comm, code));
  all.push_back(adcl::alltoallv(from, blocks, values, blocks, comm, code));
  all.push_back(adcl::alltoallw(from.data(), typed, values.data(), typed, comm, code));
  all.push_back(adcl::reduce(adcl::in_place, values, MPI_SUM, 0, comm, code));
  all.push_back(adcl::ireduce(from, values, MPI_SUM, 0, comm, code));
  all.push_back(adcl::allreduce(adcl::Buffer{values.data(), 1, MPI_DOUBLE}, values, MPI_SUM, comm));
  all.push_back(adcl::iallreduce(from, values, MPI_SUM, comm, code));
  all.push_back(adcl::scan(from, values, MPI_SUM, comm, code));
  all.push_back(adcl::exscan(from, values, MPI_SUM, comm, code));
  all.push_back(adcl::reduce_scatter_block(from, values, MPI_SUM, comm, code));
  all.push_back(adcl::reduce_scatter(from, values, {1}, MPI_SUM, comm, code));
  all.push_back(adcl::halo(adcl::view(values, 10, 10), comm, {.width = 2}, code));
  all.push_back(adcl::halo(values, comm, {.low = {1}, .high = {2}}));
  all.push_back(adcl::halo(views::Mdspan<double, 1>(values.data(), {3}, {1}), comm));
  all.push_back(adcl::halo({adcl::field(values), adcl::field(adcl::view(values, 100))}, comm));
  adcl::Timer timer = adcl::timer({all[0], all[1]}, code);
  const adcl::Timer::Part part = timer.measure();
  all[0].start_overlap([] {}, [] {}, [] {}, code);
  const adcl::Library library(code);
  adcl::set_option("ADCL_SEARCH", adcl::option("ADCL_SEARCH"), code);
}
