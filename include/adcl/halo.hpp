/** \file halo.hpp
 *  adcl::halo: the halo exchange of views on a Cartesian communicator. */
#ifndef ADCL_HALO_HPP
#define ADCL_HALO_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "halo_graph.hpp"
#include "objects.hpp"
#include "view.hpp"

namespace adcl {

/** The dimension of a view that is not divided among processes: it has the entries of a grid point. */
enum class Entries { none, first, last };

struct HaloOptions {
  int width = 1;                          ///< layers on both sides of every dimension
  std::vector<int> low = {};              ///< layers at low indices of each dimension; empty: width
  std::vector<int> high = {};             ///< layers at high indices of each dimension; empty: width
  bool corners = false;                   ///< also exchange edges and corners, with diagonal neighbors
  Entries entries = Entries::none;        ///< for a view with one dimension more than the communicator
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< datatype of an element; default: adcl::Datatype of its C++ type
};

/** An array whose halo is exchanged: the result of adcl::field. */
struct Field {
  void* data = nullptr;
  std::vector<std::size_t> extents;
  std::vector<std::size_t> strides;  ///< in elements
  std::size_t bytes = 0;             ///< size of an element
  MPI_Datatype type = MPI_DATATYPE_NULL;
  HaloOptions options;
};

/** Describes a view, including its halo layers, for adcl::halo with several fields. Local. */
template <StridedView V>
requires(!std::is_const_v<detail::Element<V>>) [[nodiscard]] Field
    field(const V& view, const HaloOptions& options = {}) {
  using T = detail::Element<V>;
  Field result;
  result.data = detail::data_of(view);
  result.bytes = sizeof(T);
  result.type = options.type;
  result.options = options;
  for (std::size_t d = 0; d < detail::rank_of<V>(); ++d) {
    result.extents.push_back(static_cast<std::size_t>(view.extent(d)));
    result.strides.push_back(static_cast<std::size_t>(view.stride(d)));
  }
  if constexpr (HasDatatype<T>) {
    result.type = options.type == MPI_DATATYPE_NULL ? Datatype<std::remove_cv_t<T>>::get() : options.type;
  }
  return result;
}

/** A range is an array of one dimension. */
template <ContiguousArray R>
[[nodiscard]] Field field(R&& range, const HaloOptions& options = {}) {
  return field(view(range, std::ranges::size(range)), options);
}

namespace detail {

/** How the library can describe a field. A larger value can describe everything that a smaller value can. */
enum Form { form_halo, form_vectors, form_graph };

/** A field in the terms of ADCL.h. */
struct Shape {
  std::vector<int> dims;  ///< without the entries of a point
  std::vector<int> low;
  std::vector<int> high;
  int nc = 0;
  int order = ADCL_ORDER_C;
  std::size_t step = 1;  ///< distance of the innermost elements
  Form form = form_halo;
  std::string mistake;
  int code = ADCL_ERR_ARGUMENT;  ///< of the mistake
};

/** Whether the strides are those of a compact array whose innermost elements are \p step apart. Dimensions with one
 *  element may have any stride. */
inline bool is_compact(const Field& field, bool c_order) {
  const std::size_t n = field.extents.size();
  std::size_t expected = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t d = c_order ? n - 1 - i : i;
    if (field.extents[d] == 1) {
      continue;
    }
    if (expected == 0) {
      expected = field.strides[d];
    } else if (field.strides[d] != expected) {
      return false;
    }
    expected *= field.extents[d];
  }
  return true;
}

inline std::size_t innermost_stride(const Field& field) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::size_t d = 0; d < field.extents.size(); ++d) {
    if (field.extents[d] > 1) {
      least = std::min(least, field.strides[d]);
    }
  }
  return least == std::numeric_limits<std::size_t>::max() ? 1 : least;
}

/** Widths of each dimension; empty lists mean the same width everywhere. */
inline std::vector<int> widths_of(const std::vector<int>& given, int width, std::size_t ndims) {
  return given.empty() ? std::vector<int>(ndims, width) : given;
}

inline std::string mistake_of(const Field& field, const Shape& shape, std::size_t ndims) {
  const std::string rank = std::to_string(field.extents.size());
  if (field.extents.size() != ndims + (field.options.entries == Entries::none ? 0 : 1)) {
    return "the view has " + rank + " dimensions, but the communicator has " + std::to_string(ndims) +
           "; pass a view with one dimension per dimension of the communicator, and .entries = adcl::Entries::last if "
           "the view also has a dimension for the entries of a point";
  }
  if (shape.low.size() != ndims || shape.high.size() != ndims) {
    return "low has " + std::to_string(shape.low.size()) + " widths and high has " + std::to_string(shape.high.size()) +
           "; pass " + std::to_string(ndims) + " widths for each, one per dimension of the communicator";
  }
  if (field.type == MPI_DATATYPE_NULL) {
    return "the element type has no MPI datatype; pass .type or specialize adcl::Datatype";
  }
  std::size_t last = 0;
  for (std::size_t d = 0; d < field.extents.size(); ++d) {
    if (field.extents[d] == 0) {
      return "dimension " + std::to_string(d) + " of the view is empty; pass at least one element";
    }
    last += (field.extents[d] - 1) * field.strides[d];
  }
  if (last >= static_cast<std::size_t>(std::numeric_limits<int>::max()) && shape.form == form_graph) {
    return "the strided view spans more than INT_MAX elements; use a compact view";
  }
  for (std::size_t d = 0; d < ndims; ++d) {
    const int interior = shape.dims[d] - shape.low[d] - shape.high[d];
    if (shape.low[d] < 0 || shape.high[d] < 0 || interior < std::max(shape.low[d], shape.high[d])) {
      return "dimension " + std::to_string(d) + " has " + std::to_string(shape.dims[d]) + " layers, too few for " +
             std::to_string(shape.low[d]) + " and " + std::to_string(shape.high[d]) +
             " halo layers; pass extents that include the halo, or smaller widths";
    }
  }
  return "";
}

/** Why the MPI library cannot exchange views of this shape; empty: it can. */
inline std::string unsupported([[maybe_unused]] const Shape& shape) {
#ifdef SMPI_H
  if (shape.form == form_graph) {
    return "SimGrid SMPI (3.32) has no distributed graphs, which padded rows and permuted dimensions need; use a "
           "compact view";
  }
  if (shape.step > 1) {
    return "SimGrid SMPI (3.32) overwrites the gaps between the elements of a view; use a view without gaps";
  }
#endif
  return "";
}

inline Shape shape_of(const Field& field, std::size_t ndims) {
  Shape shape;
  const std::size_t n = field.extents.size();
  const bool has_entries = field.options.entries != Entries::none && n > 0;
  const std::size_t point = field.options.entries == Entries::first ? 0 : n - 1;
  for (std::size_t d = 0; d < n; ++d) {
    const int extent = static_cast<int>(std::min<std::size_t>(field.extents[d], std::numeric_limits<int>::max()));
    if (has_entries && d == point) {
      shape.nc = extent;
    } else {
      shape.dims.push_back(extent);
    }
  }
  shape.low = widths_of(field.options.low, field.options.width, ndims);
  shape.high = widths_of(field.options.high, field.options.width, ndims);
  shape.step = innermost_stride(field);
  // ADCL.h stores the entries of a point next to each other: last in C order, first in Fortran order.
  const bool c_order = is_compact(field, true) && (!has_entries || field.options.entries == Entries::last);
  const bool fortran = is_compact(field, false) && (!has_entries || field.options.entries == Entries::first);
  shape.order = c_order ? ADCL_ORDER_C : ADCL_ORDER_FORTRAN;
  const auto other = [&](int width) { return width != field.options.width; };
  if (!c_order && !fortran) {
    shape.form = form_graph;
  } else if (field.options.corners || std::ranges::any_of(shape.low, other) || std::ranges::any_of(shape.high, other)) {
    shape.form = form_vectors;
  }
  shape.mistake = mistake_of(field, shape, ndims);
  if (shape.mistake.empty()) {
    shape.mistake = unsupported(shape);
    shape.code = ADCL_ERR_UNSUPPORTED;
  }
  return shape;
}

/** The datatype of an element that is \p bytes from the next; frees it, if it is new. */
class ElementType {
 public:
  ElementType(MPI_Datatype type, std::size_t bytes) : type_(type) {
    MPI_Aint low = 0;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(type, &low, &extent);
    if (extent != static_cast<MPI_Aint>(bytes)) {
      MPI_Type_create_resized(type, low, static_cast<MPI_Aint>(bytes), &type_);
      MPI_Type_commit(&type_);
      is_new_ = true;
    }
  }
  ElementType(ElementType&& other) noexcept : type_(other.type_), is_new_(std::exchange(other.is_new_, false)) {}
  ElementType& operator=(ElementType&&) = delete;
  ElementType(const ElementType&) = delete;
  ElementType& operator=(const ElementType&) = delete;
  ~ElementType() {
    if (is_new_) {
      MPI_Type_free(&type_);
    }
  }
  [[nodiscard]] MPI_Datatype get() const noexcept { return type_; }

 private:
  MPI_Datatype type_;
  bool is_new_ = false;
};

/** What all ranks agree on before the first collective call of the library. */
struct HaloAgreement {
  int code = ADCL_SUCCESS;
  Form form = form_halo;
  bool corners = false;
};

/** Reduces the ranks' mistakes and forms. Collective over \p cart. */
inline HaloAgreement agree(std::span<const Field> fields, std::span<const Shape> shapes, MPI_Comm cart) {
  std::array<int, 4> values{ADCL_SUCCESS, form_halo, 0, -1};
  std::string mistake;
  if (fields.empty()) {
    mistake = "the list of fields is empty; pass at least one field";
    values[0] = ADCL_ERR_ARGUMENT;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!shapes[i].mistake.empty() && mistake.empty()) {
      mistake = (fields.size() > 1 ? "field " + std::to_string(i) + ": " : "") + shapes[i].mistake;
      values[0] = shapes[i].code;
    }
    const int corners = fields[i].options.corners ? 1 : 0;
    values[1] = std::max<int>(values[1], shapes[i].form);
    values[2] = std::max(values[2], corners);
    values[3] = std::max(values[3], -corners);
  }
  MPI_Allreduce(MPI_IN_PLACE, values.data(), 4, MPI_INT, MPI_MAX, cart);
  if (values[0] == ADCL_SUCCESS && values[2] != -values[3]) {
    mistake = "corners differs between fields or ranks; pass the same value everywhere";
    values[0] = ADCL_ERR_MISMATCH;
  }
  if (values[0] != ADCL_SUCCESS) {
    if (mistake.empty()) {
      mistake = "no request was created, because another rank of the communicator reports an error";
    }
    ADCL_Error_record(values[0], ("adcl::halo: " + mistake).c_str());
  }
  return {.code = values[0], .form = static_cast<Form>(values[1]), .corners = values[2] != 0};
}

/** Through ADCL_Halo_init: compact arrays with the same width on all sides. */
inline Request create_plain_halo(std::span<const Field> fields, std::span<const Shape> shapes, MPI_Comm cart,
                                 OnError on_error) {
  std::vector<ElementType> types;
  std::vector<ADCL_Halo> halos(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Shape& shape = shapes[i];
    types.emplace_back(fields[i].type, fields[i].bytes * shape.step);
    halos[i] = *ADCL_HALO(fields[i].data, static_cast<int>(shape.dims.size()), shape.dims.data(), shape.nc,
                          fields[i].options.width, types.back().get());
    halos[i].order = shape.order;
    if (i > 0) {
      halos[i - 1].next = &halos[i];
    }
  }
  ADCL_Request handle = ADCL_REQUEST_NULL;
  on_error(ADCL_Halo_init(halos.data(), cart, &handle));
  return Request(handle);
}

/** Vectors and vmaps of the fields, and the message of this rank's first failure. */
class HaloParts {
 public:
  /** Appends a field: the vector with this order, and the vmap that \p make_vmap returns. */
  template <typename MakeVmap>
  void add(std::span<const int> dims, int nc, int order, MPI_Datatype type, void* data, MakeVmap make_vmap) {
    std::error_code code;
    vectors_.push_back(vector(dims, nc, type, data, code));
    if (!code) {
      ADCL_Vector_set_order(vectors_.back().get(), order);
      vmaps_.push_back(make_vmap(OnError(code)));
    }
    if (code && failure_.empty()) {
      failure_ = last_error();
    }
    vmaps_.resize(vectors_.size());
  }

  /** Creates the request, on all ranks or on none. The rank that failed reports its own message. */
  [[nodiscard]] Request create(const Topology& topology, OnError on_error) const {
    std::error_code code;
    Request result = request(vectors_, vmaps_, topology, code);
    if (code && !failure_.empty()) {
      ADCL_Error_record(code.value(), failure_.c_str());
    }
    on_error(code.value());
    return result;
  }

 private:
  std::vector<Vector> vectors_;
  std::vector<Vmap> vmaps_;
  std::string failure_;
};

/** Through vectors and vmaps: compact arrays with a width for each side, or with corners. */
inline Request create_vector_halo(std::span<const Field> fields, std::span<const Shape> shapes, MPI_Comm cart,
                                  bool corners, OnError on_error) {
  std::error_code code;
  const Topology topology = corners ? extended_topology(cart, code) : adcl::topology(cart, 0, code);
  if (code) {
    on_error(code.value());
    return {};
  }
  HaloParts parts;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Shape& shape = shapes[i];
    const ElementType type(fields[i].type, fields[i].bytes * shape.step);
    parts.add(shape.dims, shape.nc, shape.order, type.get(), fields[i].data,
              [&](OnError on) { return halo_vmap(shape.low, shape.high, on); });
  }
  return parts.create(topology, on_error);
}

/** Through indices and a graph communicator: any strides. */
inline Request create_graph_halo(std::span<const Field> fields, std::span<const Shape> shapes, MPI_Comm cart,
                                 bool corners, OnError on_error) {
  const Directions directions(cart, corners);
  auto graph = std::make_shared<GraphComm>(cart, directions);
  std::error_code code;
  const Topology topology = adcl::topology(graph->get(), 0, code);
  if (code) {
    on_error(code.value());
    return {};
  }
  HaloParts parts;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Layout layout{.extents = fields[i].extents,
                        .strides = fields[i].strides,
                        .low = shapes[i].low,
                        .high = shapes[i].high,
                        .entries_first = fields[i].options.entries == Entries::first};
    const GraphIndices indices(layout, directions);
    const ElementType type(fields[i].type, fields[i].bytes);
    const std::array<int, 1> span{layout.span()};
    parts.add(span, 0, ADCL_ORDER_C, type.get(), fields[i].data, [&](OnError on) {
      return graph_vmap(indices.send_counts, indices.send, indices.receive_counts, indices.receive, on);
    });
  }
  Request result = parts.create(topology, on_error);
  return result ? Request(result.release(), std::move(graph)) : Request();
}

/** Whether \p comm has a Cartesian topology. Local. */
inline bool is_cartesian(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    return false;
  }
#ifdef SMPI_H
  // MPI_Topo_test of SMPI (3.32) aborts the simulation. MPI_Cartdim_get fails without a Cartesian topology.
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &handler);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int ndims = 0;
  const int code = MPI_Cartdim_get(comm, &ndims);
  // SMPI's MPI_COMM_WORLD has no error handler until one is set; errors are then fatal.
  const bool none = handler == MPI_ERRHANDLER_NULL;
  MPI_Comm_set_errhandler(comm, none ? MPI_ERRORS_ARE_FATAL : handler);
  if (!none) {
    MPI_Errhandler_free(&handler);
  }
  return code == MPI_SUCCESS;
#else
  int topology = MPI_UNDEFINED;
  MPI_Topo_test(comm, &topology);
  return topology == MPI_CART;
#endif
}

}  // namespace detail

/** The halo exchange of several fields in one operation. \p cart: a Cartesian communicator; dimension d of it divides
 *  dimension d of each view. Collective over \p cart; an error on one rank has the same code on all ranks. Compact
 * views in C or Fortran order, also with a distance between the innermost elements, have all codelets. Other views
 * (padded rows, permuted dimensions) use lists of indices and a graph communicator, which the request owns; if one rank
 * has such a view, all ranks use it. SMPI supports only compact views without gaps: ADCL_ERR_UNSUPPORTED. */
[[nodiscard]] inline Request halo(std::span<const Field> fields, MPI_Comm cart, OnError on_error = {}) {
  if (!detail::is_cartesian(cart)) {
    on_error(ADCL_Error_record(ADCL_ERR_ARGUMENT,
                               "adcl::halo: the communicator is not Cartesian; pass a communicator of "
                               "MPI_Cart_create"));
    return {};
  }
  int ndims = 0;
  MPI_Cartdim_get(cart, &ndims);
  std::vector<detail::Shape> shapes;
  for (const Field& one : fields) {
    shapes.push_back(detail::shape_of(one, static_cast<std::size_t>(ndims)));
  }
  const detail::HaloAgreement agreed = detail::agree(fields, shapes, cart);
  if (agreed.code != ADCL_SUCCESS) {
    on_error(agreed.code);
    return {};
  }
  switch (agreed.form) {
    case detail::form_halo:
      return detail::create_plain_halo(fields, shapes, cart, on_error);
    case detail::form_vectors:
      return detail::create_vector_halo(fields, shapes, cart, agreed.corners, on_error);
    default:
      return detail::create_graph_halo(fields, shapes, cart, agreed.corners, on_error);
  }
}

[[nodiscard]] inline Request halo(std::initializer_list<Field> fields, MPI_Comm cart, OnError on_error = {}) {
  return halo(std::span<const Field>(fields.begin(), fields.size()), cart, on_error);
}

/** The halo exchange of a view: `adcl::halo(view, cart, {.width = 2})`. */
template <StridedView V>
[[nodiscard]] Request halo(const V& view, MPI_Comm cart, const HaloOptions& options = {}, OnError on_error = {}) {
  return halo({field(view, options)}, cart, on_error);
}

/** The halo exchange of a range of elements on a communicator of one dimension. */
template <ContiguousArray R>
requires(!std::same_as<std::ranges::range_value_t<R>, Field>) [[nodiscard]] Request
    halo(R&& range, MPI_Comm cart, const HaloOptions& options = {}, OnError on_error = {}) {
  return halo({field(range, options)}, cart, on_error);
}

}  // namespace adcl

#endif
