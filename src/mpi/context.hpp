/// \file context.hpp
/// Everything that the library stores per user communicator: one duplicate, tags, windows, sub-communicators.
#pragma once

#include <mpi.h>

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <typeindex>
#include <vector>

#include "core/machine.hpp"
#include "mpi/node_piece.hpp"

namespace adcl::mpi {

class Communicator;
class Window;

/// Key of an object that a context stores. Keys of different patterns always differ.
struct ObjectKey {
  std::string_view pattern;   ///< pattern that owns the object; static storage
  std::int64_t identity = 0;  ///< number of the object's request, topology or problem; the same on all ranks
  int kind = 0;               ///< kind of object, defined by the pattern
  auto operator<=>(const ObjectKey&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 finds a 0 here
};

/// Stored as an attribute of the user's communicator. Freed with the communicator, at ADCL_Finalize, or by its last
/// user, whichever comes last. Members documented as collective are collective over the communicator.
class Context {
 public:
  /// Returns the context of \p user; creates it at the first call. Collective over \p user. Throws Error(argument) for
  /// MPI_COMM_NULL and for an intercommunicator, on each rank independently.
  static std::shared_ptr<Context> of(MPI_Comm user);
  /// Releases the contexts of all communicators, in the order of order(). Called by ADCL_Finalize.
  static void release_all();
  /// Called when the user frees \p user, or when its context is released.
  static void forget(MPI_Comm user);

  explicit Context(MPI_Comm user);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Sort key of contexts: the same on all ranks of a context, whichever threads created it.
  using Order = std::array<std::int64_t, 3>;
  [[nodiscard]] const Order& order() const noexcept { return order_; }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Reason why windows over the user's memory must not be used on this communicator, as a sentence for reports; null
  /// if they may be used. Ranks may differ.
  [[nodiscard]] const char* window_defect() const;
  /// The machine that the communicator's problems run on; the reference stays valid. Collective at the first call.
  const Machine& machine();
  /// Replaces the nodes of machine(), so that one machine can emulate several: ranks that pass the same \p node >= 0
  /// are on one node. Collective; call it before the first request is created.
  void set_nodes(int node);

  /// Returns a new number, the same on all ranks if they call in the same order.
  std::int64_t next_id() noexcept { return ++last_id_; }
  /// Reserves \p span consecutive tags that no other request uses, and returns the first tag. The same on all ranks if
  /// they call in the same order with the same span. Throws Error(unsupported) if MPI_TAG_UB is reached.
  int take_tags(int span);
  void give_back_tags(int first, int span);

  /// Returns the communicator stored under \p key (the same on all ranks). \p make creates it at the first call; all
  /// plans that use it share it. Collective; throws the same error on all ranks if \p make throws on one.
  std::shared_ptr<Communicator> cached_communicator(const ObjectKey& key, const std::function<MPI_Comm()>& make);
  /// Returns the window stored under \p key (the same on all ranks). \p make opens it over \p memory of this process
  /// (null: memory that the window allocates). Collective; throws the same error on all ranks if \p make throws on one,
  /// and Error(unsupported) if a rank already has window_budget windows; MPICH supports about 2000 windows and
  /// communicators in total.
  std::shared_ptr<Window> cached_window(const ObjectKey& key, const void* memory, const std::function<MPI_Win()>& make);
  static constexpr int window_budget = 512;

  /// State that a higher layer stores in the context: one object of each type, created at the first call and destroyed
  /// before the rest of the context. Local.
  template <typename State>
  State& state() {
    auto& object = states_[std::type_index(typeid(State))];
    if (object == nullptr) {
      object = std::make_shared<State>();
    }
    return *static_cast<State*>(object.get());
  }

 private:
  void agree_on_order();
  /// Returns the object that \p all contains under \p key on all ranks. If it is missing on a rank, \p make creates a
  /// new object.
  template <typename Object, typename Make>
  std::shared_ptr<Object> find_or_create(std::map<ObjectKey, std::weak_ptr<Object>>& all, const ObjectKey& key,
                                         int count, const Make& make);
  KeptPieces kept_pieces_;  ///< destroyed last
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
  int tag_upper_bound_ = 0;
  int next_tag_ = 0;
  Order order_{};
  std::int64_t last_id_ = 0;
  std::multimap<int, int> free_tags_;  ///< span -> first
  std::optional<Machine> machine_;
  std::map<ObjectKey, std::weak_ptr<Communicator>> communicators_;
  std::map<ObjectKey, std::weak_ptr<Window>> windows_;
  std::map<std::type_index, std::shared_ptr<void>> states_;
};

/// Owns a communicator. Destruction is collective.
class Communicator {
 public:
  explicit Communicator(MPI_Comm comm);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  [[nodiscard]] MPI_Comm get() const noexcept { return comm_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Releases ownership without freeing: the object exists on some ranks only, and freeing it would wait for the
  /// others.
  void abandon() noexcept { comm_ = MPI_COMM_NULL; }

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 0;
};

/// Returns the communicator that \p make creates from \p comm, or throws the same error on all ranks. Collective over
/// \p comm.
std::unique_ptr<Communicator> create_collectively(MPI_Comm comm, const std::function<MPI_Comm()>& make);

/// Owns a window. Destruction is collective.
class Window {
 public:
  Window(MPI_Win window, const void* memory);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  [[nodiscard]] MPI_Win get() const noexcept { return window_; }
  /// The memory over which the window was opened, or null.
  [[nodiscard]] const void* memory() const noexcept { return memory_; }
  /// Address of displacement 0 in this process's part.
  [[nodiscard]] const void* base() const;
  /// Like Communicator::abandon().
  void abandon() noexcept { window_ = MPI_WIN_NULL; }
  /// Number of open windows of this process, including abandoned windows.
  static int count() noexcept;

 private:
  MPI_Win window_;
  const void* memory_;
};

}  // namespace adcl::mpi
