// ranks: 1 2 3 4
// not smpi: start_overlap stores its functions per thread, and all ranks of SMPI share one thread
// Owners of adcl.hpp: moved-from objects, destruction, errors as exceptions and as codes, timers, overlap, views.
#include <adcl.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/checks.hpp"
#include "views.hpp"

namespace {

using adcl::test::expect;

struct Ring {
  Ring() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &comm);
    MPI_Comm_rank(comm, &rank);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() { MPI_Comm_free(&comm); }
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int left = 0;
  int right = 0;
};

/// A rod with a halo element on both sides.
std::vector<double> rod(const Ring& ring) { return {-1.0, 10.0 + ring.rank, 20.0 + ring.rank, -1.0}; }

bool is_exchanged(const std::vector<double>& rod, const Ring& ring) {
  return rod.front() == 20.0 + ring.left && rod.back() == 10.0 + ring.right;
}

template <typename Call>
void expect_error(adcl::Errc code, const std::string& words, Call call) {
  try {
    call();
    expect(false, "no error instead of '" + words + "'");
  } catch (const adcl::Error& error) {
    const std::string what = error.what();
    expect(error.code() == code && error.error_code() == code, what + ": another code than expected");
    expect(what.find(words) != std::string::npos, "'" + words + "' is missing in '" + what + "'");
  }
}

void moved(const Ring& ring) {
  std::vector<double> values = rod(ring);
  adcl::Request first = adcl::halo(values, ring.comm);
  const ADCL_Request handle = first.get();
  adcl::Request second = std::move(first);
  expect(!first && second.get() == handle, "the move constructor moves the handle");  // NOLINT(bugprone-use-after-move)
  expect_error(adcl::Errc::handle, "ADCL_Request_start", [&] { first.start(); });
  std::error_code code;
  first.start(code);
  expect(code == adcl::Errc::handle && code.category() == adcl::category(), "the code of a moved-from request");
  second.start();
  expect(is_exchanged(values, ring), "a moved request works");

  std::vector<double> other = rod(ring);
  adcl::Request third = adcl::halo(other, ring.comm);
  third = std::move(second);
  expect(third.get() == handle, "move assignment");
  int number = 0;
  expect(ADCL_Request_get_functions_num(handle, &number) == ADCL_SUCCESS, "move assignment keeps the moved request");
  third = adcl::Request();
  expect(ADCL_Request_get_functions_num(handle, &number) == ADCL_ERR_HANDLE,
         "move assignment frees the former request");

  adcl::Timer timer = adcl::timer({});
  adcl::Timer moved_timer = std::move(timer);
  expect(!timer && moved_timer, "timers can be moved");  // NOLINT(bugprone-use-after-move)
  expect_error(adcl::Errc::handle, "ADCL_Timer_start", [&] { timer.start(); });
  adcl::Topology topology = adcl::topology(ring.comm);
  const adcl::Topology moved_topology = std::move(topology);
  expect(!topology && moved_topology, "topologies can be moved");  // NOLINT(bugprone-use-after-move)
}

void swapped(const Ring& ring) {
  std::vector<double> values = rod(ring);
  std::vector<double> padded(12, -1.0);
  const views::Mdspan<double, 1> view(padded.data(), {4}, {3});
  adcl::Request left = adcl::halo(values, ring.comm);
  adcl::Request right = adcl::halo(view, ring.comm);
  swap(left, right);
  right.start();
  expect(is_exchanged(values, ring), "swapped requests keep their arrays");
}

/// Destroying a request completes its operation, so later messages still match.
void destroyed_in_flight(const Ring& ring) {
  std::vector<double> values = rod(ring);
  {
    adcl::Request request = adcl::halo(values, ring.comm);
    request.init();
  }
  expect(is_exchanged(values, ring), "the destructor completes the operation");
  adcl::Request after = adcl::halo(values, ring.comm);
  after.init();
  expect_error(adcl::Errc::state, "ADCL_Request_free", [&] { after.free(); });
  after.wait();
  after.free();
  expect(!after, "free() empties the object");
}

void errors(const Ring& ring) {
  std::vector<double> values = rod(ring);
  expect_error(adcl::Errc::argument, "not Cartesian", [&] { (void)adcl::halo(values, MPI_COMM_WORLD); });
  expect_error(adcl::Errc::argument, "not Cartesian", [&] { (void)adcl::halo(values, MPI_COMM_NULL); });
  expect_error(adcl::Errc::argument, "too few for 3 and 3 halo layers",
               [&] { (void)adcl::halo(values, ring.comm, {.width = 3}); });
  expect_error(adcl::Errc::argument, "the view has 2 dimensions, but the communicator has 1",
               [&] { (void)adcl::halo(adcl::view(values, 2, 2), ring.comm); });
  expect_error(adcl::Errc::argument, "the extents have 6 elements, but the range has 4",
               [&] { (void)adcl::view(values, 2, 3); });
  expect_error(adcl::Errc::argument, "the list of fields is empty",
               [&] { (void)adcl::halo(std::vector<adcl::Field>(), ring.comm); });
  expect_error(adcl::Errc::option, "ADCL_SERACH", [&] { adcl::set_option("ADCL_SERACH", "model"); });
  // A mistake of rank 0 is an error on all ranks, and only rank 0 describes it.
  const int width = ring.rank == 0 ? 3 : 1;
  std::error_code code;
  const adcl::Request request = adcl::halo(values, ring.comm, {.width = width}, code);
  expect(!request && code == adcl::Errc::argument, "all ranks have the code");
  expect(adcl::last_error().find(ring.rank == 0 ? "too few" : "another rank") != std::string::npos, adcl::last_error());
  // The next success clears the code.
  adcl::set_option("ADCL_SEARCH", "brute_force", code);
  expect(!code && adcl::option("ADCL_SEARCH") == "brute_force", "a success clears the code");
}

void one_rank_strided(const Ring& ring) {
  std::vector<double> values = rod(ring);
  std::vector<double> padded(16, -1.0);
  const std::array<std::size_t, 2> extents{4, 1};
  MPI_Comm grid = MPI_COMM_NULL;
  int size = 0;
  MPI_Comm_size(ring.comm, &size);
  const std::array<int, 2> dims{size, 1};
  const std::array<int, 2> periods{1, 0};
  MPI_Cart_create(ring.comm, 2, dims.data(), periods.data(), 0, &grid);
  {
    // Rows of two elements that are four apart on rank 0; compact on the others.
    std::vector<double> compact(8, -1.0);
    const bool is_padded = ring.rank == 0;
    double* const data = is_padded ? padded.data() : compact.data();
    const std::size_t row = is_padded ? 4 : 2;
    const adcl::View<double, 2> view(data, {extents[0], 2}, {row, 1});
    for (int i = 0; i < 4; ++i) {
      view(i, 0) = values[static_cast<std::size_t>(i)];
      view(i, 1) = 100.0 + values[static_cast<std::size_t>(i)];
    }
    adcl::Request request = adcl::halo(view, grid, {.low = {1, 0}, .high = {1, 0}});
    for (int start = 0; start < 5; ++start) {
      request.start();
    }
    expect(view(0, 0) == 20.0 + ring.left && view(3, 1) == 110.0 + ring.right, "one rank has a padded view");
    expect_error(adcl::Errc::unsupported, "owns a communicator", [&] { (void)request.release(); });
    expect(static_cast<bool>(request), "release() fails without an effect");
  }
  MPI_Comm_free(&grid);
}

void timers(const Ring& ring) {
  std::vector<double> one = rod(ring);
  std::vector<double> two = rod(ring);
  adcl::Request first = adcl::halo(one, ring.comm);
  adcl::Request second = adcl::halo(two, ring.comm);
  adcl::Timer timer = adcl::timer({first, second});
  int parts = 0;
  for (; parts < 5000 && timer.is_searching(); ++parts) {
    adcl::Timer::Part part = timer.measure();
    first.start();
    second.start();
    if (parts % 2 == 0) {
      part.stop();
    }
  }
  expect(parts > 1 && !timer.is_searching(), "the timer decides");
  expect(!first.winner().empty() && first.function_set() == "neighborhood", "the winner has a name");
  bool found = false;
  for (const adcl::Candidate& candidate : first.candidates()) {
    found = found || candidate.name == first.winner();
  }
  expect(found, "the winner is a candidate");
  timer.remove(second);
  expect_error(adcl::Errc::state, "ADCL_Timer_start", [&] { timer.start(); });
  timer.commit();
}

void overlap(const Ring& ring) {
  std::vector<double> values = rod(ring);
  adcl::Request request = adcl::halo(values, ring.comm);
  int whole = 0;
  int halves = 0;
  for (int start = 0; start < 40; ++start) {
    request.start_overlap([&] { ++halves; }, [&] { ++halves; }, [&] { ++whole; });
  }
  expect(2 * whole + halves == 80 && is_exchanged(values, ring), "each start runs all work once");
  const auto fail = [] { throw std::domain_error("of the work"); };
  bool thrown = false;
  try {
    request.start_overlap(fail, fail, fail);
  } catch (const std::domain_error&) {
    thrown = true;
  }
  expect(thrown, "an exception of the work arrives unchanged");
  request.start();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<double> values(4);
  adcl::Request survivor;
  {
    adcl::Library library;
    adcl::set_option("ADCL_MEASUREMENTS", "2");  // few, because the timer compares all combinations
    const Ring ring;
    moved(ring);
    swapped(ring);
    destroyed_in_flight(ring);
    errors(ring);
    one_rank_strided(ring);
    timers(ring);
    overlap(ring);
    survivor = adcl::allreduce(adcl::in_place, values, MPI_SUM, MPI_COMM_WORLD);
    const adcl::Version version = adcl::version();
    expect(version.major == ADCL_VERSION_MAJOR && version.minor == ADCL_VERSION_MINOR, "version");
    library.finalize();
    expect(!library, "finalize() empties the object");
  }
  survivor.reset();  // after ADCL_Finalize, which freed the request
  expect_error(adcl::Errc::not_initialized, "", [] { adcl::set_option("ADCL_SEARCH", "model"); });
  const int code = adcl::test::exit_code();
  MPI_Finalize();
  return code;
}
