// links: adcl_objects
// Times of a start, a computation and a wait: the MPI library's nonblocking call, its persistent request (if it has
// persistent collectives), and the codelet that the interposer runs for persistent requests, which sends all messages
// at the start (codelets/collectives/one_round.hpp). The three take turns in blocks. Figures: the ratio of the
// codelet's time to the other's, median over the rounds, with its quartiles; the computation is subtracted. "computed":
// with a computation of 20 us, otherwise without one.
#include <ADCL.h>
#include <mpi.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "codelets/collectives/one_round.hpp"
#include "codelets/sets.hpp"
#include "common/adcl_call.hpp"
#include "common/document.hpp"
#include "common/median.hpp"

namespace {

using adcl::codelets::CollectiveProblem;
using adcl::codelets::Operation;
using bench::Json;

const int rounds = bench::effort(101, 3);
const int calls = bench::effort(100, 10);
constexpr double computation_s = 20e-6;
constexpr int most_bytes = 262144;

struct Setting {
  Operation operation;
  int bytes;  ///< of a block
};

class Contest {
 public:
  explicit Contest(const Setting& setting) : setting_(setting), context_(adcl::mpi::Context::of(MPI_COMM_WORLD)) {
    send_.resize(static_cast<std::size_t>(setting.bytes) * static_cast<std::size_t>(context_->size()));
    receive_.resize(send_.size());
    const bool reduces = setting.operation == Operation::allreduce;
    const auto type = std::make_shared<adcl::mpi::Element>(reduces ? MPI_LONG : MPI_BYTE, 0);
    count_ = reduces ? setting.bytes / static_cast<int>(sizeof(long)) : setting.bytes;
    problem_ = std::make_unique<CollectiveProblem>(&context_->machine());
    problem_->operation = setting.operation;
    problem_->rank = context_->rank();
    problem_->size = context_->size();
    problem_->send.types = {type};
    problem_->send.count = count_;
    problem_->receive = problem_->send;
    problem_->op = MPI_SUM;
    problem_->tag = context_->take_tags(1);
    plan_ = adcl::codelets::make_one_round(set(), *problem_, *context_).plan;
#ifdef ADCL_HAVE_PERSISTENT_COLLECTIVES
    persistent_call();
#endif
  }
  ~Contest() {
    if (persistent_ != MPI_REQUEST_NULL) {
      MPI_Request_free(&persistent_);
    }
  }
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  [[nodiscard]] bool has_persistent() const { return persistent_ != MPI_REQUEST_NULL; }

  /// Seconds per operation, without the computation.
  template <typename Start, typename Wait>
  static double time(bool computes, const Start& start, const Wait& wait) {
    const double seconds = bench::mean_seconds(calls, [&] {
      start();
      for (const double end = MPI_Wtime() + computation_s; computes && MPI_Wtime() < end;) {
      }
      wait();
    });
    return computes ? seconds - computation_s : seconds;
  }
  double nonblocking(bool computes) {
    MPI_Request request = MPI_REQUEST_NULL;
    return time(
        computes, [&] { nonblocking_call(&request); }, [&] { MPI_Wait(&request, MPI_STATUS_IGNORE); });
  }
  double persistent(bool computes) {
    return time(
        computes, [&] { MPI_Start(&persistent_); }, [&] { MPI_Wait(&persistent_, MPI_STATUS_IGNORE); });
  }
  double codelet(bool computes) {
    const adcl::FieldBuffers buffers{send_.data(), receive_.data()};
    return time(
        computes, [&] { plan_->start(std::span(&buffers, 1)); }, [&] { plan_->wait(); });
  }

 private:
  [[nodiscard]] const adcl::FunctionSet& set() const {
    switch (setting_.operation) {
      case Operation::alltoall:
        return adcl::codelets::alltoall();
      case Operation::allgather:
        return adcl::codelets::allgather();
      case Operation::bcast:
        return adcl::codelets::bcast();
      default:
        return adcl::codelets::allreduce();
    }
  }
  void nonblocking_call(MPI_Request* request) {
    switch (setting_.operation) {
      case Operation::alltoall:
        MPI_Ialltoall(send_.data(), count_, MPI_BYTE, receive_.data(), count_, MPI_BYTE, MPI_COMM_WORLD, request);
        break;
      case Operation::allgather:
        MPI_Iallgather(send_.data(), count_, MPI_BYTE, receive_.data(), count_, MPI_BYTE, MPI_COMM_WORLD, request);
        break;
      case Operation::bcast:
        MPI_Ibcast(receive_.data(), count_, MPI_BYTE, 0, MPI_COMM_WORLD, request);
        break;
      default:
        MPI_Iallreduce(send_.data(), receive_.data(), count_, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, request);
        break;
    }
  }
#ifdef ADCL_HAVE_PERSISTENT_COLLECTIVES
  void persistent_call() {
    const auto info = MPI_INFO_NULL;
    switch (setting_.operation) {
      case Operation::alltoall:
        MPI_Alltoall_init(send_.data(), count_, MPI_BYTE, receive_.data(), count_, MPI_BYTE, MPI_COMM_WORLD, info,
                          &persistent_);
        break;
      case Operation::allgather:
        MPI_Allgather_init(send_.data(), count_, MPI_BYTE, receive_.data(), count_, MPI_BYTE, MPI_COMM_WORLD, info,
                           &persistent_);
        break;
      case Operation::bcast:
        MPI_Bcast_init(receive_.data(), count_, MPI_BYTE, 0, MPI_COMM_WORLD, info, &persistent_);
        break;
      default:
        MPI_Allreduce_init(send_.data(), receive_.data(), count_, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, info,
                           &persistent_);
        break;
    }
  }
#endif

  Setting setting_;
  std::shared_ptr<adcl::mpi::Context> context_;
  std::unique_ptr<CollectiveProblem> problem_;
  std::unique_ptr<adcl::codelets::SharedSchedulePlan> plan_;
  std::vector<std::byte> send_;
  std::vector<std::byte> receive_;
  int count_ = 0;
  MPI_Request persistent_ = MPI_REQUEST_NULL;
};

void measure(const Setting& setting, Json& figures) {
  Contest contest(setting);
  for (const bool computes : {false, true}) {
    std::vector<double> codelet;
    std::vector<double> nonblocking;
    std::vector<double> persistent;
    for (int round = 0; round < rounds; ++round) {
      codelet.push_back(contest.codelet(computes));
      nonblocking.push_back(contest.nonblocking(computes));
      if (contest.has_persistent()) {
        persistent.push_back(contest.persistent(computes));
      }
    }
    const std::string name = std::string(adcl::codelets::name_of(setting.operation)) + "_" +
                             std::to_string(setting.bytes) + (computes ? "_computed" : "");
    figures.push_back(bench::ratio_figure(name + "_over_nonblocking", codelet, nonblocking));
    if (contest.has_persistent()) {
      figures.push_back(bench::ratio_figure(name + "_over_persistent", codelet, persistent));
    }
    figures.push_back(bench::figure(name + "_codelet", 1e6 * bench::median_of(codelet).median));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (!bench::names_a_file(argc, argv)) {
    return 2;
  }
  MPI_Init(&argc, &argv);
  bench::check(ADCL_Init(), "ADCL_Init");
  Json figures = Json::array();
  std::vector<Setting> settings;
  for (const Operation operation :
       {Operation::alltoall, Operation::allgather, Operation::allreduce, Operation::bcast}) {
    for (const int bytes : bench::in_form(std::vector<int>{8, 4096, most_bytes})) {
      settings.push_back({operation, bytes});
    }
  }
  for (const Setting& setting : settings) {
    measure(setting, figures);
  }
  const int code = bench::write_document(argv[1], Json::object(), figures);
  bench::check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return code;
}
