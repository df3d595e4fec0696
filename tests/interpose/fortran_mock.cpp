// A Fortran interface of MPI with all names of routines.def. Like Open MPI's, it calls the PMPI functions of C.
// Routines without results in the test return success.
#include "fortran_routines.hpp"

#include <array>
#include <vector>

extern "C" {
__attribute__((visibility("default"))) int mpi_fortran_in_place_ = 0;
__attribute__((visibility("default"))) int mpi_fortran_bottom_ = 0;
}

namespace adcl::test {
namespace {

/// A buffer argument as memory without gaps.
class Buffer {
 public:
  Buffer(void* argument, Choice choice) {
    if (choice == Choice::address) {
      address_ = argument;
      return;
    }
    const auto& descriptor = *static_cast<const Descriptor*>(argument);
    address_ = descriptor.base;
    const auto& dimension = descriptor.dimensions[0];
    if (descriptor.rank == 1 && dimension.stride != static_cast<std::ptrdiff_t>(sizeof(int))) {
      section_ = &descriptor;
      for (std::ptrdiff_t i = 0; i < dimension.extent; ++i) {
        copy_.push_back(*element(i));
      }
    }
  }

  void* address() {
    if (address_ == &mpi_fortran_in_place_) {
      return MPI_IN_PLACE;
    }
    return section_ != nullptr ? copy_.data() : address_;
  }

  void write_back() {
    for (std::size_t i = 0; i < copy_.size(); ++i) {
      *element(static_cast<std::ptrdiff_t>(i)) = copy_[i];
    }
  }

 private:
  [[nodiscard]] int* element(std::ptrdiff_t i) const {
    return reinterpret_cast<int*>(static_cast<char*>(section_->base) + i * section_->dimensions[0].stride);
  }

  void* address_ = nullptr;
  const Descriptor* section_ = nullptr;
  std::vector<int> copy_;
};

int number(void* address) { return *static_cast<MPI_Fint*>(address); }
MPI_Datatype type(void* address) { return PMPI_Type_f2c(number(address)); }
MPI_Op op(void* address) { return PMPI_Op_f2c(number(address)); }
MPI_Comm comm(void* address) { return PMPI_Comm_f2c(number(address)); }

template <Call call, typename Count>
int run(void* first, void* second, const std::array<void*, most_arguments>& a) {
  const auto count = [](void* address) { return static_cast<int>(*static_cast<Count*>(address)); };
  if constexpr (call == Call::Bcast) {
    return PMPI_Bcast(first, count(a[1]), type(a[2]), number(a[3]), comm(a[4]));
  } else if constexpr (call == Call::Allreduce) {
    return PMPI_Allreduce(first, second, count(a[2]), type(a[3]), op(a[4]), comm(a[5]));
  } else if constexpr (call == Call::Reduce) {
    return PMPI_Reduce(first, second, count(a[2]), type(a[3]), op(a[4]), number(a[5]), comm(a[6]));
  } else if constexpr (call == Call::Reduce_scatter_block) {
    return PMPI_Reduce_scatter_block(first, second, count(a[2]), type(a[3]), op(a[4]), comm(a[5]));
  } else if constexpr (call == Call::Gather) {
    return PMPI_Gather(first, count(a[1]), type(a[2]), second, count(a[4]), type(a[5]), number(a[6]), comm(a[7]));
  } else if constexpr (call == Call::Scatter) {
    return PMPI_Scatter(first, count(a[1]), type(a[2]), second, count(a[4]), type(a[5]), number(a[6]), comm(a[7]));
  } else if constexpr (call == Call::Allgather) {
    return PMPI_Allgather(first, count(a[1]), type(a[2]), second, count(a[4]), type(a[5]), comm(a[6]));
  } else {
    return PMPI_Alltoall(first, count(a[1]), type(a[2]), second, count(a[4]), type(a[5]), comm(a[6]));
  }
}

template <Call call, typename Count, Choice choice, typename... Addresses>
void routine(Addresses... addresses) {
  const std::array<void*, most_arguments> a = {addresses...};
  int code = MPI_SUCCESS;
  if constexpr (has_results(call)) {
    constexpr std::size_t place = call == Call::Bcast ? 0 : static_cast<std::size_t>(second_buffer(call));
    Buffer first(a[0], choice);
    Buffer second(a[place], choice);
    code = run<call, Count>(place == 0 ? second.address() : first.address(), second.address(), a);
    second.write_back();
  } else if constexpr (call == Call::Barrier) {
    code = PMPI_Barrier(comm(a[0]));
  }
  if (auto* const error = static_cast<MPI_Fint*>(a[sizeof...(Addresses) - 1]); error != nullptr) {
    *error = code;
  }
}

}  // namespace
}  // namespace adcl::test

using namespace adcl::test;

#define ADCL_COLLECTIVE(id, symbol, count, choice, parameters, ...)          \
  extern "C" __attribute__((visibility("default"))) void symbol parameters { \
    routine<Call::id, count, Choice::choice>(__VA_ARGS__);                   \
  }
#include "routines.def"
