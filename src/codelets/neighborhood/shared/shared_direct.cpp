// Each rank copies received data directly out of its neighbors' arrays, which are in shared memory of the node: every
// byte is copied once, without MPI. Ranks of other nodes exchange messages.
//
// A rank can only continue after its neighbors have read its array. If it waits for a busy neighbor, it packs the
// neighbor's data into separate memory (DirectLink::set_aside) and continues. An operation is therefore complete as
// soon as all neighbors have started it, regardless of the order in which ranks wait for their operations and of
// anything else that they wait for.
#include <algorithm>
#include <optional>

#include "codelets/neighborhood/layouts.hpp"
#include "codelets/neighborhood/local_copies.hpp"
#include "codelets/neighborhood/packed_region.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "codelets/neighborhood/shared/direct_link.hpp"
#include "codelets/neighborhood/shared/near_problem.hpp"
#include "codelets/neighborhood/subproblem.hpp"
#include "codelets/neighborhood/two_sided/isend_irecv_aao.hpp"
#include "codelets/shared_memory/shared_segment.hpp"
#include "core/error.hpp"
#include "mpi/array_memory.hpp"
#include "mpi/node_piece.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

bool is_own(const HaloProblem& problem, const Transfer& transfer) { return transfer.peer == problem.neighborhood.rank; }

/// The smallest part of the array that contains the whole region, relative to the array's first element.
std::pair<std::int64_t, std::int64_t> extent_of(const Region& region, const Grid& grid, std::int64_t element_bytes) {
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (region.indexed) {
    const auto [least, most] = std::minmax_element(region.points.begin(), region.points.end());
    first = *least;
    last = *most;
  } else {
    const auto strides = grid.strides();
    for (std::size_t d = 0; d < strides.size(); ++d) {
      first += region.start[d] * strides[d];
      last += (region.start[d] + region.extent[d] - 1) * strides[d];
    }
  }
  return {first * element_bytes, (last - first + 1) * element_bytes};
}

class ShmDirect final : public Plan {
 public:
  ShmDirect(const HaloProblem& problem, mpi::Context& context, const Buffers& buffers)
      : comm_(context.comm()), backoff_(comm_) {
    HaloProblem near;
    std::vector<Layout> arrays;
    mpi::run_collectively(comm_, [&] {
      divide(problem, buffers, near);
      arrays = exposed(near, buffers);
    });
    connect(near);
    const std::vector<Layout> sources = exchange_layouts(comm_, problem.tag_base, near.sends, arrays, near.receives);
    mpi::run_collectively(comm_, [&] { prepare_copies(near, sources); });
  }

  void start(const Buffers& buffers) override {
    buffers_ = buffers;
    ++operation_;
    for (Reader& reader : readers_) {
      reader.link.open(operation_);
    }
    if (remote_) {
      remote_->start(buffers);
      remote_active_ = true;
    }
    checks_ = 0;
    unread_.clear();
    for (Source& source : sources_) {
      source.copied = 0;
      unread_.push_back(&source);
    }
    // Copy field by field, from this rank and from neighbors that are ready, to reuse data in the caches.
    std::size_t own_copied = 0;
    for (std::size_t field = 0; field < buffers.size(); ++field) {
      own_copied = own_copies_.run(buffers, own_copied, static_cast<int>(field));
      std::erase_if(unread_, [&](Source* source) { return read(*source, static_cast<int>(field)); });
    }
    active_ = true;
  }

  /// Also lets MPI make progress, because a peer may need progress before it starts this operation.
  bool test() override {
    const bool done = look();
    if (!done) {
      lose_patience();
      drive_mpi(comm_);
    }
    return done;
  }

  void wait() override {
    backoff_.begin();
    while (!look()) {
      if (!backoff_.spinning()) {
        lose_patience();
      }
      backoff_.pause();
    }
    backoff_.end();
  }

 private:
  struct Copy {
    int field;
    const std::byte* from;  ///< the neighbor's array
    RegionCopy region;
  };
  /// A neighbor whose arrays this rank reads.
  struct Source {
    DirectLink link;
    std::vector<Copy> copies;  ///< field by field
    std::vector<PackedRegion> regions;
    std::size_t copied = 0;  ///< copies already done in the operation in flight, after the array was claimed
    bool claimed = false;
  };
  /// A neighbor that reads this rank's arrays.
  struct Reader {
    DirectLink link;
    std::vector<PackedRegion> regions;
  };
  /// Number of times that an otherwise idle rank checks whether its array was read, before it sets data aside. Most
  /// neighbors arrive earlier.
  static constexpr int patient_checks = 8;

  /// Divides the transfers into transfers with this rank itself, with ranks of its node, and with other ranks. Local.
  void divide(const HaloProblem& problem, const Buffers& buffers, HaloProblem& near) {
    HaloProblem own;
    take_transfers(own, problem, [&](const Transfer& transfer) { return is_own(problem, transfer); });
    own_copies_.add(own, own.sends, own.receives);
    take_transfers(near, problem, [&](const Transfer& transfer) {
      return !is_own(problem, transfer) && problem.is_near(transfer.peer);
    });
    take_transfers(remote_problem_, problem, [&](const Transfer& transfer) { return !problem.is_near(transfer.peer); });
    if (!remote_problem_.sends.empty() || !remote_problem_.receives.empty()) {
      remote_.emplace(remote_problem_, comm_, buffers);
    }
  }

  /// Locations of this rank's arrays, for the ranks that read them. Local.
  std::vector<Layout> exposed(const HaloProblem& near, const Buffers& buffers) {
    std::vector<Layout> arrays(near.fields.size());
    for (const Transfer& transfer : near.sends) {
      const auto field = static_cast<std::size_t>(transfer.field);
      const HaloArray& array = near.fields[field].send;
      const auto* address = static_cast<const std::byte*>(buffers[field].send);
      const auto bytes = static_cast<std::size_t>(array.grid.points() * array.element->extent_bytes());
      const auto memory = mpi::ArrayMemory::containing(address, bytes);
      require(memory != nullptr && memory->private_because().empty(), Code::unsupported, "the array has moved to ",
              memory != nullptr ? "private memory" : "memory that the application allocated",
              ", which the neighbors cannot map");
      arrays[field] = {array.grid, address - memory->data(), {}, memory->handle()};
      own_arrays_.push_back(memory);
    }
    return arrays;
  }

  /// Creates links to the ranks that read from this rank, and to the ranks from which this rank reads. Collective.
  void connect(const HaloProblem& near) {
    segment_.emplace(comm_, near.tag_base, [&] {
      SharedEnds ends;
      for (const auto& transfers : messages_of(near.sends, Joining::per_rank)) {
        ends.sends.push_back({transfers.front().peer, transfers.front().tag});
        ends.offsets.push_back(ends.bytes);
        readers_.push_back({{}, regions_of(near, transfers, Way::out)});
        ends.bytes += DirectLink::memory_bytes(bytes_of(readers_.back().regions));
      }
      for (const auto& transfers : messages_of(near.receives, Joining::per_rank)) {
        ends.receives.push_back({transfers.front().peer, transfers.front().tag});
        sources_.push_back({{}, {}, regions_of(near, transfers, Way::in)});
      }
      unread_.reserve(ends.receives.size());
      return ends;
    });
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      readers_[i].link = DirectLink(segment_->outgoing(i));
    }
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      sources_[i].link = DirectLink(segment_->incoming(i));
    }
  }

  static std::vector<PackedRegion> regions_of(const HaloProblem& problem, std::span<const Transfer> transfers,
                                              Way way) {
    std::vector<PackedRegion> regions;
    for (const Transfer& transfer : transfers) {
      regions.emplace_back(problem, transfer, way);
    }
    return regions;
  }

  static std::size_t bytes_of(const std::vector<PackedRegion>& regions) {
    std::size_t total = 0;
    for (const PackedRegion& region : regions) {
      total += region.bytes();
    }
    return total;
  }

  /// Prepares the copies; \p layouts are the sources of the receives of \p near. Local.
  void prepare_copies(const HaloProblem& near, const std::vector<Layout>& layouts) {
    std::size_t i = 0;
    std::size_t source = 0;
    for (const auto& transfers : messages_of(near.receives, Joining::per_rank)) {
      for (const Transfer& transfer : transfers) {
        const Layout& layout = layouts[i++];
        require(layout.region.count() == transfer.region.count(), Code::mismatch, "rank ", transfer.peer,
                " has a halo of ", layout.region.count(), " points, but this rank has ", transfer.region.count(),
                "; use the same block size on neighboring ranks");
        if (transfer.region.count() > 0) {
          sources_[source].copies.push_back(copy_of(near.array(transfer, Way::in), transfer, layout));
        }
      }
      std::ranges::stable_sort(sources_[source].copies, {}, &Copy::field);
      ++source;
    }
    own_copies_.sort();
  }

  Copy copy_of(const HaloArray& to, const Transfer& transfer, const Layout& layout) {
    const std::int64_t element_bytes = to.element->extent_bytes();  // the same at both ends: PackedRegion::applicable
    const auto& mapping =
        neighbors_arrays_.emplace_back(mpi::map_memory(layout.memory, mpi::NodeMapping::Access::read));
    const std::byte* array = mapping->data() + layout.first_point;
    const auto [offset, bytes] = extent_of(layout.region, layout.grid, element_bytes);
    mpi::NodeMapping::touch(array + offset, static_cast<std::size_t>(bytes), mpi::NodeMapping::Access::read);
    return {transfer.field, array, RegionCopy(layout.region, layout.grid, transfer.region, to.grid, element_bytes)};
  }

  /// Copies the data that are ready; returns true when the operation is complete.
  bool look() {
    if (!active_) {
      return true;
    }
    const int all = static_cast<int>(buffers_.size());
    std::erase_if(unread_, [&](Source* source) { return read(*source, all); });
    if (remote_active_ && remote_->test()) {
      remote_active_ = false;
    }
    active_ = !unread_.empty() || remote_active_ || !is_read();
    return !active_;
  }

  /// Reads all remaining fields up to \p field, if the data are ready; returns true when nothing is left.
  bool read(Source& source, int field) const {
    if (!source.claimed && !source.link.ready(operation_)) {
      return false;
    }
    if (!source.claimed && !source.link.claim(operation_)) {
      const std::byte* position = source.link.aside();
      for (const PackedRegion& region : source.regions) {
        region.unpack(position, buffers_);
        position += region.bytes();
      }
      source.copied = source.copies.size();
    }
    source.claimed = true;
    for (; source.copied < source.copies.size() && source.copies[source.copied].field <= field; ++source.copied) {
      const Copy& copy = source.copies[source.copied];
      copy.region.copy(copy.from, address_of(buffers_, copy.field, Way::in));
    }
    if (source.copied < source.copies.size()) {
      return false;
    }
    source.claimed = false;
    source.link.mark_read(operation_);
    return true;
  }

  /// True when the neighbors have read this rank's arrays: after completion, the application may write to them.
  [[nodiscard]] bool is_read() const {
    return std::all_of(readers_.begin(), readers_.end(),
                       [this](const Reader& reader) { return reader.link.closed(operation_); });
  }

  /// Called after each unsuccessful check that is not part of spinning.
  void lose_patience() {
    if (unread_.empty() && ++checks_ > patient_checks) {
      set_aside();
    }
  }

  /// Packs the data that neighbors have not begun to read.
  void set_aside() {
    for (Reader& reader : readers_) {
      reader.link.set_aside(operation_, [&](std::byte* position) {
        for (const PackedRegion& region : reader.regions) {
          region.pack(buffers_, position);
          position += region.bytes();
        }
      });
    }
  }

  MPI_Comm comm_;
  Backoff backoff_;
  HaloProblem remote_problem_;
  std::optional<IsendIrecvAao<PackedMessages>> remote_;
  LocalCopies own_copies_;
  std::vector<Reader> readers_;
  std::vector<Source> sources_;
  std::vector<std::shared_ptr<const mpi::ArrayMemory>> own_arrays_;
  std::vector<std::shared_ptr<const mpi::NodeMapping>> neighbors_arrays_;
  std::optional<SharedSegment> segment_;
  std::vector<Source*> unread_;  ///< sources not yet read in the operation in flight
  Buffers buffers_;
  std::uint64_t operation_ = 0;
  int checks_ = 0;  ///< unsuccessful checks since this rank has read everything
  bool active_ = false;
  bool remote_active_ = false;
};

/// Reason why the data of \p transfer cannot be read from the array, or nothing.
std::optional<std::string> hidden(const HaloProblem& problem, const Transfer& transfer) {
  const HaloArray& array = problem.array(transfer, Way::out);
  if (!is_own(problem, transfer) && problem.is_near(transfer.peer) && !array.private_because.empty()) {
    return text("neighbors cannot read the array in place: ", array.private_because);
  }
  const bool written = std::any_of(problem.receives.begin(), problem.receives.end(), [&](const Transfer& in) {
    return problem.fields[static_cast<std::size_t>(transfer.field)].same_buffer && in.field == transfer.field &&
           overlap(transfer.region, in.region);
  });
  return written ? std::optional<std::string>("sent and received regions overlap") : std::nullopt;
}

std::optional<std::string> applicable(const HaloProblem& problem) {
  if (auto reason = without_shared_memory(problem)) {
    return reason;
  }
  for (const HaloField& field : problem.fields) {
    if (!field.send.element->dense()) {
      return "elements have holes, which this codelet would overwrite";
    }
  }
  for (const Transfer& transfer : problem.sends) {
    if (auto reason = hidden(problem, transfer)) {
      return reason;
    }
  }
  return PackedMessages::applicable(problem);
}

std::size_t bytes(const HaloProblem& problem) {
  // Count all shared memory of this process, because shared memory is scarcer than other memory.
  std::size_t total = mpi::NodeMemory::held_bytes();
  for (const Transfer& transfer : problem.sends) {
    total += DirectLink::memory_bytes(static_cast<std::size_t>(bytes_of(problem, transfer, Way::out)));
  }
  HaloProblem remote;
  take_transfers(remote, problem, [&](const Transfer& transfer) { return !problem.is_near(transfer.peer); });
  return total + PackedMessages::bytes(remote);
}

}  // namespace

Rows shared_direct() {
  return {
      {.name = "Shm_direct",
       .attributes = attributes(Partners::aao, NonContiguous::direct, Primitive::shared_memory, Completion::none),
       .capabilities = {.nonblocking = true, .fixed_buffers = true, .collective_plan = true, .touches_data = true},
       .requirements = "processes that share memory; datatypes of the same memory layout and without holes; arrays "
                       "from ADCL_Vector_allocate",
       .source = source::hoefler,
       .algorithm = {[](const Problem& problem) { return applicable(halo(problem)); },
                     [](const Problem& problem) { return bytes(halo(problem)); },
                     [](const Problem& problem, mpi::Context& context, const Buffers& buffers) -> PlanPointer {
                       return std::make_unique<ShmDirect>(halo(problem), context, buffers);
                     }},
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
