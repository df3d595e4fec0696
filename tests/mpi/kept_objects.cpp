// ranks: 1 2 3 4
// A context finds shared objects by pattern, identity and kind; an object is destroyed with its last user.
#include <memory>
#include <vector>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/context.hpp"
#include "support/suite.hpp"

namespace adcl::test {
namespace {

MPI_Comm duplicate(mpi::Context& context) {
  MPI_Comm copy = MPI_COMM_NULL;
  mpi::check(MPI_Comm_dup(context.comm(), &copy), "MPI_Comm_dup");
  return copy;
}

std::shared_ptr<mpi::Communicator> communicator(mpi::Context& context, const mpi::ObjectKey& key) {
  return context.cached_communicator(key, [&] { return duplicate(context); });
}

void different_keys(Suite& suite, mpi::Context& context) {
  suite.step("communicators of different keys");
  const std::vector<mpi::ObjectKey> keys = {{"halo", 1, 0},      {"halo", 1, 1},      {"halo", 2, 0},
                                            {"allreduce", 1, 0}, {"allreduce", 0, 1}, {"allreduce"}};
  std::vector<std::shared_ptr<mpi::Communicator>> kept;
  for (const auto& key : keys) {
    kept.push_back(communicator(context, key));
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    suite.expect(communicator(context, keys[i]) == kept[i], text("key ", i, " finds another communicator"));
    for (std::size_t j = 0; j < i; ++j) {
      suite.expect(kept[i] != kept[j], text("keys ", i, " and ", j, " share a communicator"));
    }
  }
}

void same_name_at_other_address(Suite& suite, mpi::Context& context) {
  suite.step("the name of a pattern at two addresses");
  const std::string first = "pattern";
  const std::string second = "pattern";
  const auto kept = communicator(context, {first, 7, 3});
  suite.expect(communicator(context, {second, 7, 3}) == kept, "the same key finds another communicator");
}

void destroyed_with_last_user(Suite& suite, mpi::Context& context) {
  suite.step("an unused object");
  std::weak_ptr<mpi::Communicator> seen = communicator(context, {"halo", 9, 0});
  suite.expect(seen.expired(), "the context keeps an unused communicator");
}

void windows_are_counted(Suite& suite, mpi::Context& context) {
  suite.step("number of windows");
  if (context.window_defect() != nullptr) {
    return;
  }
  const int before = mpi::Window::count();
  static double memory = 0.0;
  for (int i = 0; i < 3; ++i) {
    const auto window = context.cached_window({"halo", 10, 0}, &memory, [&] {
      MPI_Win made = MPI_WIN_NULL;
      mpi::check(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, context.comm(), &made), "MPI_Win_create");
      return made;
    });
    suite.expect(mpi::Window::count() == before + 1, text(mpi::Window::count() - before, " new windows instead of 1"));
  }
  suite.expect(mpi::Window::count() == before, "a freed window is counted");
}

/// Each process orders its contexts by their creation, although processes create different numbers of contexts.
void contexts_are_ordered(Suite& suite) {
  suite.step("order of contexts");
  std::vector<MPI_Comm> comms;
  std::vector<mpi::Context::Order> orders;
  const auto create = [&](MPI_Comm of) {
    mpi::check(MPI_Comm_dup(of, &comms.emplace_back(MPI_COMM_NULL)), "MPI_Comm_dup");
    orders.push_back(mpi::Context::of(comms.back())->order());
  };
  for (int i = 0; suite.rank() == 0 && i < 5; ++i) {
    create(MPI_COMM_SELF);
  }
  create(MPI_COMM_WORLD);
  create(MPI_COMM_SELF);
  create(MPI_COMM_WORLD);
  for (std::size_t i = 1; i < orders.size(); ++i) {
    suite.expect(orders[i - 1][0] < orders[i][0],
                 text("context ", i, " has the number ", orders[i][0], " after ", orders[i - 1][0]));
  }
  for (MPI_Comm& comm : comms) {
    MPI_Comm_free(&comm);
  }
}

void tags_are_reused(Suite& suite, mpi::Context& context) {
  suite.step("returned tags");
  const int three = context.take_tags(3);
  const int five = context.take_tags(5);
  suite.expect(five == three + 3, text("tags ", three, " and ", five));
  context.give_back_tags(three, 3);
  const int four = context.take_tags(4);
  suite.expect(four == five + 5, text("four tags at ", four));
  suite.expect(context.take_tags(3) == three, "three tags are not reused");
  context.give_back_tags(five, 5);
  suite.expect(context.take_tags(5) == five, "five tags are not reused");
}

struct Counter {
  int value = 0;
};
struct Other {
  int value = 5;
};

void states(Suite& suite, mpi::Context& context) {
  suite.step("states of other layers");
  context.state<Counter>().value += 3;
  context.state<Other>().value += 1;
  suite.expect(context.state<Counter>().value == 3 && context.state<Other>().value == 6,
               "states of two types are mixed up");
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    const auto context = adcl::mpi::Context::of(MPI_COMM_WORLD);
    adcl::test::different_keys(suite, *context);
    adcl::test::same_name_at_other_address(suite, *context);
    adcl::test::destroyed_with_last_user(suite, *context);
    adcl::test::windows_are_counted(suite, *context);
    adcl::test::contexts_are_ordered(suite);
    adcl::test::states(suite, *context);
    adcl::test::tags_are_reused(suite, *context);
  });
}
