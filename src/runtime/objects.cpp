#include "runtime/objects.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/error.hpp"
#include "runtime/agreement.hpp"

namespace adcl::runtime {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::int64_t largest_bytes = std::int64_t{1} << 60;

void check_grid(const Grid& grid, int nc) {
  require(nc >= 0, Code::argument, "nc is ", nc, "; it is the number of entries per grid point, 0 for a scalar");
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    require(grid.dims[d] >= 1, Code::argument, "dims[", d, "] is ", grid.dims[d], "; an extent is at least 1");
  }
  std::int64_t points = 1;
  for (const int extent : grid.dims) {
    require(!__builtin_mul_overflow(points, static_cast<std::int64_t>(extent), &points), Code::argument,
            "the extents of the vector multiply to more points than 64 bits can count");
  }
}

std::string row_name(const std::string& set, const AttributeSet& attributes, const std::vector<int>& values) {
  std::string name = set;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    name += "_" + attributes[i].find(values[i])->name;
  }
  return name;
}

Codelet row_of(const Function& function) {
  Codelet row;
  row.name = function.name;
  row.attributes = function.values;
  row.capabilities.nonblocking = function.wait != nullptr;
  row.source = "written by the user";
  return row;
}

}  // namespace

HaloWidths Vmap::widths_for(int ndims) const {
  if (uniform_width.has_value()) {
    const std::vector<int> same(static_cast<std::size_t>(ndims), *uniform_width);
    return {same, same};
  }
  require(widths.left.size() == static_cast<std::size_t>(ndims), Code::argument, "the vmap has halo widths for ",
          widths.left.size(), " dimensions and the topology has ", ndims);
  return widths;
}

Vector::Vector(Grid grid, int nc, MPI_Datatype type, void* data)
    : grid_(std::move(grid)), nc_(nc), element_(type, nc), data_(data) {
  check_grid(grid_, nc);
  require(data != nullptr, Code::argument, "data is a null pointer; pass the address of the first element");
}

Vector::Vector(Grid grid, int nc, MPI_Datatype type, mpi::Sharing sharing)
    : grid_(std::move(grid)), nc_(nc), element_(type, nc) {
  check_grid(grid_, nc);
  // What the elements touch may begin before the address of the first one: lower bounds and extents can be negative.
  std::int64_t last = 0;
  require(!__builtin_mul_overflow(grid_.points() - 1, element_.extent_bytes(), &last) && std::abs(last) < largest_bytes,
          Code::memory, "a vector of ", grid_.points(), " elements of ", element_.extent_bytes(),
          " bytes could not be allocated");
  const std::int64_t begin = std::min<std::int64_t>(0, element_.true_lower_bound() + std::min<std::int64_t>(0, last));
  const std::int64_t end = element_.true_lower_bound() + element_.true_extent() + std::max<std::int64_t>(0, last);
  const std::size_t before = (static_cast<std::size_t>(-begin) + alignment - 1) / alignment * alignment;
  owned_ = mpi::ArrayMemory::make(before + static_cast<std::size_t>(std::max<std::int64_t>(end, 1)), sharing);
  data_ = owned_->data() + before;
}

HaloArray Vector::shape() const {
  HaloArray array{grid_, {}, &element_};
  // Arrays of the application's own may lie in a larger one that the library has allocated.
  const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(grid_.points() * element_.extent_bytes(), 0));
  if (const auto memory = owned_ != nullptr ? owned_ : mpi::ArrayMemory::around(data_, bytes)) {
    array.private_because = memory->private_because();
  }
  return array;
}

std::shared_ptr<FunctionSetObject> function_set(std::vector<Function> functions, const std::string& name) {
  require(functions.size() <= Ballot::max_codelets, Code::argument, "a function set has at most ", Ballot::max_codelets,
          " codelets, not ", functions.size());
  auto object = std::make_shared<FunctionSetObject>();
  object->set.name = name;
  object->set.summary = "written by the user";
  std::set<std::string> names;
  const auto& attributes = functions.front().attributes;
  for (const Function& function : functions) {
    require(names.insert(function.name).second, Code::argument, "two functions are named '", function.name,
            "'; names distinguish the codelets of a set");
    require(function.attributes == attributes, Code::argument, "function '", function.name,
            "' has another attribute set than the first function; the functions of a set share one");
    object->set.codelets.push_back(row_of(function));
  }
  if (attributes != nullptr) {
    object->set.attributes = *attributes;
  }
  object->functions = std::move(functions);
  return object;
}

std::shared_ptr<FunctionSetObject> single_function_set(Function::Work start, Function::Work wait,
                                                       const std::shared_ptr<const AttributeSet>& attributes,
                                                       const std::string& name,
                                                       const std::vector<std::vector<int>>& excluded) {
  double combinations = 1.0;
  for (const Attribute& attribute : *attributes) {
    combinations *= static_cast<double>(attribute.values.size());
  }
  require(combinations - static_cast<double>(excluded.size()) <= static_cast<double>(Ballot::max_codelets),
          Code::argument, "the attribute set has ", combinations, " combinations; a function set has at most ",
          Ballot::max_codelets, " codelets");
  std::vector<Function> functions;
  std::vector<std::size_t> position(attributes->size(), 0);
  while (true) {
    std::vector<int> values;
    for (std::size_t i = 0; i < attributes->size(); ++i) {
      values.push_back((*attributes)[i].values[position[i]].value);
    }
    if (std::find(excluded.begin(), excluded.end(), values) == excluded.end()) {
      functions.push_back({start, wait, attributes, values, row_name(name, *attributes, values)});
    }
    std::size_t i = position.size();
    while (i > 0 && position[i - 1] + 1 == (*attributes)[i - 1].values.size()) {
      position[--i] = 0;
    }
    if (i == 0) {
      break;
    }
    ++position[i - 1];
  }
  require(!functions.empty(), Code::argument, "all combinations of attribute values are excluded; leave one at least");
  return function_set(std::move(functions), name);
}

}  // namespace adcl::runtime
