// Functions that create objects: the memory that stays allocated. Expectations: Table 3 of Shudler et al. (ICS 2015),
// after Balaji et al., MPI on Millions of Cores, 2011.
#include <array>

#include "function.hpp"

namespace adcl::bench {
namespace {

class CommCreate final : public Operation {
 public:
  explicit CommCreate(const Setting& setting) : comm_(setting.comm) { MPI_Comm_group(comm_, &group_); }
  ~CommCreate() override { MPI_Group_free(&group_); }
  void run() override { MPI_Comm_create(comm_, group_, &created_); }
  void undo() override { MPI_Comm_free(&created_); }

 private:
  MPI_Comm comm_;
  MPI_Group group_ = MPI_GROUP_NULL;
  MPI_Comm created_ = MPI_COMM_NULL;
};

class CommDup final : public Operation {
 public:
  explicit CommDup(const Setting& setting) : comm_(setting.comm) {}
  void run() override { MPI_Comm_dup(comm_, &created_); }
  void undo() override { MPI_Comm_free(&created_); }

 private:
  MPI_Comm comm_;
  MPI_Comm created_ = MPI_COMM_NULL;
};

class WinCreate final : public Operation {
 public:
  explicit WinCreate(const Setting& setting) : comm_(setting.comm) {}
  void run() override {
    MPI_Win_create(memory_.data(), sizeof memory_, sizeof(double), MPI_INFO_NULL, comm_, &created_);
  }
  void undo() override { MPI_Win_free(&created_); }

 private:
  MPI_Comm comm_;
  std::array<double, 128> memory_{};
  MPI_Win created_ = MPI_WIN_NULL;
};

class CartCreate final : public Operation {
 public:
  explicit CartCreate(const Setting& setting) : comm_(setting.comm) { MPI_Dims_create(setting.size, 3, dims_.data()); }
  void run() override { MPI_Cart_create(comm_, 3, dims_.data(), periods_.data(), 0, &created_); }
  void undo() override { MPI_Comm_free(&created_); }

 private:
  MPI_Comm comm_;
  std::array<int, 3> dims_{};
  std::array<int, 3> periods_{1, 1, 1};
  MPI_Comm created_ = MPI_COMM_NULL;
};

template <typename Kind>
OperationPointer make(const Setting& setting) {
  return std::make_unique<Kind>(setting);
}

}  // namespace

Functions object_functions() {
  constexpr auto heap = Measured::heap;
  return {
      {"Comm_create", heap, "p", "MPI_Comm_create from the group of all ranks", 0, false, make<CommCreate>},
      {"Comm_dup", heap, "1", "MPI_Comm_dup", 0, false, make<CommDup>},
      {"Win_create", heap, "p", "MPI_Win_create of 1 KiB on each rank", 0, false, make<WinCreate>},
      {"Cart_create", heap, "p", "MPI_Cart_create, three periodic dimensions", 0, false, make<CartCreate>},
  };
}

}  // namespace adcl::bench
