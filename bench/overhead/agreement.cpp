// links: MPI::MPI_C
// in simulators too
// Measures the cost of an agreement on a batch, in two variants. Both variants begin when the batch is complete.
//   everyone  all numbers are reduced to all ranks, and each rank computes the decision. ADCL uses this variant.
//   root      all numbers are reduced to rank 0, which decides; the decision and the numbers that the other ranks need
//             are broadcast at the next start. The decision takes effect one start later.
// Neither variant waits immediately: there is one start between posting and waiting, and there are two with "root". A
// program that exchanges messages in a ring, with nine starts for each agreement, is compared with the same program
// without agreements. Programs run in blocks, in random order; the figure is the median over rounds of the difference
// per agreement, with its interval.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "common/document.hpp"
#include "common/median.hpp"

namespace {

using bench::Json;

const int rounds = bench::effort(60, 3);
const int most_agreements = bench::effort(50, 2);  ///< agreements of a block
constexpr double block_s = 0.05;                   ///< fewer agreements if a block takes longer
constexpr int starts = 9;                          ///< three blocks of three executions
constexpr int numbers = 47;                        ///< doubles of the batch: 9 of a block, 2 of an execution, 2 more
constexpr int packet_bytes = 800;                  ///< with 45 candidates

enum class Way { never, everyone, root };
constexpr std::array ways{Way::never, Way::everyone, Way::root};

class Ring {
 public:
  explicit Ring(int bytes) : out_(static_cast<std::size_t>(bytes)), in_(out_.size() * 2), bytes_(bytes) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }

  void exchange() {
    std::array<MPI_Request, 4> requests{};
    const std::array<int, 2> neighbors{(rank_ + 1) % ranks_, (rank_ + ranks_ - 1) % ranks_};
    for (std::size_t i = 0; i < 2; ++i) {
      const int tag = static_cast<int>(i);
      MPI_Irecv(in_.data() + i * out_.size(), bytes_, MPI_CHAR, neighbors[i], 1 - tag, MPI_COMM_WORLD, &requests[i]);
      MPI_Isend(out_.data(), bytes_, MPI_CHAR, neighbors[i], tag, MPI_COMM_WORLD, &requests[2 + i]);
    }
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  }

 private:
  std::vector<char> out_;
  std::vector<char> in_;
  int bytes_;
  int rank_ = 0;
  int ranks_ = 1;
};

class Agreement {
 public:
  explicit Agreement(Way way) : way_(way) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &rank_);
  }
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;
  ~Agreement() { MPI_Comm_free(&comm_); }

  /// Call after the last start of a batch.
  void post() {
    if (way_ == Way::everyone) {
      MPI_Iallreduce(own_.data(), all_.data(), numbers, MPI_DOUBLE, MPI_MAX, comm_, &request_);
    } else if (way_ == Way::root) {
      MPI_Ireduce(own_.data(), all_.data(), numbers, MPI_DOUBLE, MPI_MAX, 0, comm_, &request_);
    }
  }

  /// Call before start \p start of the next batch, from 1: one start of the best candidate so far lies between.
  void before(int start) {
    if (way_ == Way::never || start > 2) {
      return;
    }
    if (start == 1 && way_ == Way::everyone) {
      MPI_Wait(&request_, MPI_STATUS_IGNORE);
    }
    if (start == 1 && way_ == Way::root) {
      if (rank_ == 0) {
        MPI_Wait(&request_, MPI_STATUS_IGNORE);
        std::copy_n(reinterpret_cast<const char*>(all_.data()), sizeof(all_), packet_.data());
      }
      MPI_Ibcast(packet_.data(), packet_bytes, MPI_CHAR, 0, comm_, &decision_);
    }
    if (start == 2 && way_ == Way::root) {
      MPI_Wait(&request_, MPI_STATUS_IGNORE);
      MPI_Wait(&decision_, MPI_STATUS_IGNORE);
    }
  }

 private:
  Way way_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::array<double, numbers> own_{};
  std::array<double, numbers> all_{};
  std::array<char, packet_bytes> packet_{};
  MPI_Request request_ = MPI_REQUEST_NULL;
  MPI_Request decision_ = MPI_REQUEST_NULL;
};

/// Seconds of a block, maximum over the ranks.
double block(Ring& ring, Agreement& agreement, int agreements) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = MPI_Wtime();
  for (int i = 0; i < agreements; ++i) {
    for (int start = 0; start < starts; ++start) {
      if (i > 0) {
        agreement.before(start);
      }
      ring.exchange();
    }
    agreement.post();
  }
  agreement.before(1);
  agreement.before(2);
  double seconds = MPI_Wtime() - begun;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

void measure(int bytes, Json& figures) {
  Ring ring(bytes);
  std::array<Agreement, 3> agreement{Agreement(ways[0]), Agreement(ways[1]), Agreement(ways[2])};
  std::array<std::size_t, 3> order{0, 1, 2};
  std::mt19937 chance(1);  // the same on all ranks
  std::vector<double> everyone;
  std::vector<double> root;
  std::vector<double> more;
  std::vector<double> exchange;
  double once = 0.0;
  for (Agreement& one : agreement) {
    block(ring, one, 2);  // opens the connections
    once = block(ring, one, 2) / 2;
  }
  const int agreements = static_cast<int>(std::clamp(block_s / once, 2.0, static_cast<double>(most_agreements)));
  for (int round = 0; round < rounds; ++round) {
    std::array<double, 3> seconds{};
    std::shuffle(order.begin(), order.end(), chance);
    for (const std::size_t i : order) {
      seconds[i] = block(ring, agreement[i], agreements);
    }
    everyone.push_back((seconds[1] - seconds[0]) / agreements);
    root.push_back((seconds[2] - seconds[0]) / agreements);
    more.push_back((seconds[2] - seconds[1]) / agreements);
    exchange.push_back(seconds[0] / (agreements * starts));
  }
  const auto add = [&](const std::string& name, const std::vector<double>& samples) {
    const bench::Interval found = bench::median_of(samples);
    const bench::Interval found_us{found.median * 1e6, found.low * 1e6, found.high * 1e6};
    figures.push_back(bench::figure(name + "_" + std::to_string(bytes) + "_bytes", found_us));
  };
  add("exchange", exchange);
  add("agreement_of_everyone", everyone);
  add("agreement_of_root", root);
  add("root_beyond_everyone", more);
}

}  // namespace

int main(int argc, char** argv) {
  if (!bench::names_a_file(argc, argv)) {
    return 2;
  }
  MPI_Init(&argc, &argv);
  Json figures = Json::array();
  for (const int bytes : bench::in_form(std::vector<int>{8, 8192, 131072})) {
    measure(bytes, figures);
  }
  const int code = bench::write_document(argv[1], Json::object(), figures);
  MPI_Finalize();
  return code;
}
