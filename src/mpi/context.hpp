/// \file context.hpp
/// Everything the library keeps per user communicator: one duplicate, tags, windows, sub-communicators.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <typeindex>
#include <vector>

#include "core/machine.hpp"
#include "mpi/node_piece.hpp"

namespace adcl::mpi {

class Communicator;
class Window;

/// By what an object that a context keeps is found again. Patterns cannot meet, whatever numbers they use.
struct ObjectKey {
  std::string_view pattern;   ///< whose object it is; a name of static storage
  std::int64_t identity = 0;  ///< of the request, topology or problem that it serves; the same on all ranks
  int kind = 0;               ///< one of the pattern's own kinds of objects
  bool operator<(const ObjectKey& other) const {
    return std::tie(pattern, identity, kind) < std::tie(other.pattern, other.identity, other.kind);
  }
};

/// Kept with the user's communicator as an attribute and freed with it, or at ADCL_Finalize, or when its last user is
/// gone, whichever is last. All members that say so are collective over the communicator.
class Context {
 public:
  /// The context of \p user; made at the first call. Collective over \p user. Throws Error(argument), on each rank by
  /// itself, for MPI_COMM_NULL and for an intercommunicator.
  static std::shared_ptr<Context> of(MPI_Comm user);
  /// Drops what communicators still hold, in the order of order(). Called by ADCL_Finalize.
  static void release_all();
  /// The user freed \p user, or its context is being released.
  static void forget(MPI_Comm user);

  explicit Context(MPI_Comm user);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// An order of all contexts that is the same on all their ranks, whatever threads made them.
  using Order = std::array<std::int64_t, 3>;
  [[nodiscard]] const Order& order() const noexcept { return order_; }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Why windows over the user's memory must not be used on this communicator, as a sentence for reports; null where
  /// they may be. Ranks may differ.
  [[nodiscard]] const char* window_defect() const;
  /// What the communicator's problems run on; stays where it is. Collective at the first call.
  const Machine& machine();
  /// Replaces the nodes of machine(), so that one machine can stand for several: ranks that bring the same \p node >= 0
  /// are on one. Collective; before the first request is made.
  void set_nodes(int node);

  /// A number that is the same on all ranks; ranks call in the same order.
  std::int64_t next_id() noexcept { return ++last_id_; }
  /// \p span tags no other request uses, the first of them returned. The same on all ranks when called in the same
  /// order with the same span. Throws Error(unsupported) when MPI_TAG_UB is reached.
  int take_tags(int span);
  void give_back_tags(int first, int span);

  /// The communicator kept under \p key (the same on all ranks), made by \p make at the first call and shared with all
  /// plans that hold it. Collective; throws the same error on all ranks when \p make throws on one.
  std::shared_ptr<Communicator> cached_communicator(const ObjectKey& key, const std::function<MPI_Comm()>& make);
  /// The window kept under \p key (the same on all ranks), which \p make opens over \p memory of this process (null:
  /// memory of its own). Collective; throws the same error on all ranks when \p make throws on one, and
  /// Error(unsupported) when one of them already has window_budget windows; MPICH has about 2000 contexts in all.
  std::shared_ptr<Window> cached_window(const ObjectKey& key, const void* memory, const std::function<MPI_Win()>& make);
  static constexpr int window_budget = 512;

  /// What a layer above keeps with the context: one object of each type, made when it is first asked for and destroyed
  /// before the rest of the context. Local.
  template <typename State>
  State& state() {
    auto& place = states_[std::type_index(typeid(State))];
    if (place == nullptr) {
      place = std::make_unique<StateOf<State>>();
    }
    return static_cast<StateOf<State>&>(*place).state;
  }

 private:
  void agree_on_order();
  /// What \p all ranks have under \p key, or what \p make makes when one of them has nothing.
  template <typename Object, typename Make>
  std::shared_ptr<Object> kept(std::map<ObjectKey, std::weak_ptr<Object>>& all, const ObjectKey& key, int count,
                               const Make& make);
  struct AnyState {
    virtual ~AnyState() = default;
  };
  template <typename State>
  struct StateOf final : AnyState {
    State state;
  };

  KeptPieces kept_pieces_;  ///< goes last
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
  std::map<std::type_index, std::unique_ptr<AnyState>> states_;
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
  /// It exists on some ranks only: freeing it would wait for the others, so it is not freed.
  void abandon() noexcept { comm_ = MPI_COMM_NULL; }

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 0;
};

/// The communicator that \p make makes of \p comm, or the same error on all ranks. Collective over \p comm.
std::unique_ptr<Communicator> make_together(MPI_Comm comm, const std::function<MPI_Comm()>& make);

/// Owns a window. Destruction is collective.
class Window {
 public:
  Window(MPI_Win window, const void* memory);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  [[nodiscard]] MPI_Win get() const noexcept { return window_; }
  /// What it was opened over, or null.
  [[nodiscard]] const void* memory() const noexcept { return memory_; }
  /// From where displacements into this process's part count.
  [[nodiscard]] const void* base() const;
  /// It exists on some ranks only: freeing it would wait for the others, so it is not freed.
  void abandon() noexcept { window_ = MPI_WIN_NULL; }
  /// Windows of this process that are alive, abandoned ones included.
  static int count() noexcept;

 private:
  MPI_Win window_;
  const void* memory_;
};

}  // namespace adcl::mpi
