#include "arguments.hpp"

namespace adcl::fortran {

std::vector<int> Arguments::indices(const CFI_cdesc_t* array, const char* name, int count) {
  auto values = this->array<int>(array, name, count);
  return read([&] {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] < 1) {
        throw Error(ADCL_ERR_ARGUMENT, qualified(name) + "(" + std::to_string(i + 1) + ") is " +
                                           std::to_string(values[i]) + "; the first grid point is 1");
      }
      --values[i];
    }
    return values;
  });
}

Texts Arguments::texts(const CFI_cdesc_t* array, const char* name, int count) {
  return read([&] {
    std::vector<std::string> texts;
    for (const void* element : elements(array, count, qualified(name))) {
      texts.push_back(trimmed(element, array->elem_len));
    }
    return Texts(std::move(texts));
  });
}

AttributeValues::AttributeValues(const int* attrset, const CFI_cdesc_t* values) {
  if (*attrset == integer(ADCL_ATTRSET_NULL) || element_count(values) == 0) {
    return;
  }
  if (values->rank == 0 || CFI_is_contiguous(values) != 0) {
    data_ = static_cast<const int*>(values->base_addr);
  } else {
    for (const void* element : elements(values, static_cast<int>(element_count(values)), "values")) {
      copy_.push_back(*static_cast<const int*>(element));
    }
    data_ = copy_.data();
  }
}

Processes::Processes(const MPI_Fint* comm) {
  const MPI_Comm converted = communicator(comm);
  if (converted != MPI_COMM_NULL) {
    MPI_Comm_size(converted, &size);
    MPI_Comm_rank(converted, &rank);
  }
}

int total(const std::vector<int>& counts) noexcept {
  int sum = 0;
  for (const int count : counts) {
    sum += count > 0 ? count : 0;
  }
  return sum;
}

}  // namespace adcl::fortran
