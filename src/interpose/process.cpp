#include "interpose/process.hpp"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/error.hpp"
#include "core/text.hpp"
#include "interpose/communicator.hpp"
#include "interpose/filters.hpp"
#include "interpose/report.hpp"
#include "interpose/variables.hpp"
#include "measure/stopwatch.hpp"
#include "mpi/check.hpp"
#include "mpi/environment.hpp"
#include "mpi/library.hpp"
#include "profile/next.hpp"

namespace adcl::interpose {
namespace {

std::mutex begin_mutex;
Process* instance = nullptr;
std::atomic<int (*)()> libadcl{nullptr};

Options read_options() {
  constexpr double percent = 0.01;
  Options options;
  options.report = absolute(variable("ADCL_INTERPOSE_REPORT"));
  options.any_bits = variable("ADCL_INTERPOSE_BITS") == "any";
  options.measures = variable("ADCL_INTERPOSE") == "measure";
  options.denied = is_denied();
  const auto budget = to_number(variable("ADCL_INTERPOSE_BUDGET"));
  if (budget.has_value() && *budget > 0.0) {
    options.budget = *budget * percent;
  }
  return options;
}

/// The options of libadcl in the environment, with the folder of the history. If an option is invalid, all options have
/// their defaults, because the interposer prints no messages.
std::shared_ptr<const runtime::Settings> read_settings() {
  runtime::OptionStore store;
  try {
    store = runtime::OptionStore::from_environment();
  } catch (const Error&) {
    store = {};
  }
  const std::string folder = history_folder(store);
  OptionValues values = store.values();
  for (const Option& option : runtime::option_table()) {
    if (option.role == OptionRole::output) {
      values.set(option, option.default_value);
    }
  }
  if (!folder.empty()) {
    values.set("ADCL_HISTORY", folder);
  }
  auto settings = runtime::Settings::from(std::move(values));
  settings.deferred_history = folder.empty() ? nullptr : std::make_shared<history::Deferred>(folder);
  return std::make_shared<const runtime::Settings>(std::move(settings));
}

/// Whether MPI_Pack adds no header. Ranks that pass MPI_PACKED then communicate the same number of bytes as other
/// ranks.
bool packs_without_header() {
  const int number = 0;
  std::array<std::byte, 64> packed{};
  int position = 0;
  return MPI_Pack(&number, 1, MPI_INT, packed.data(), static_cast<int>(packed.size()), &position, MPI_COMM_SELF) ==
             MPI_SUCCESS &&
         position == static_cast<int>(sizeof number);
}

void end_process() {
  if (phase.exchange(Phase::off) == Phase::on) {
    instance->end();
  }
}

/// Deletion function of the attribute: the communicator is being freed. After end_process(), the searches are not
/// deleted.
int drop_communicator(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*extra*/) {
  const mpi::OwnCalls own;
  ++generation;
  if (phase.load() == Phase::on) {
    delete static_cast<Communicator*>(value);
  }
  return MPI_SUCCESS;
}

int look_for_gpu(dl_phdr_info* object, std::size_t /*size*/, void* /*data*/) {
  static constexpr const char* runtimes[] = {"/libcuda.so", "/libcudart.so", "/libamdhip64.so", "/libze_loader.so"};
  return std::ranges::any_of(runtimes, [&](const char* name) {
    return object->dlpi_name != nullptr && std::strstr(object->dlpi_name, name) != nullptr;
  });
}

/// Number of libraries that the process has loaded so far.
unsigned long long loaded_libraries() noexcept {
  unsigned long long loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t /*size*/, void* number) {
        *static_cast<unsigned long long*>(number) = object->dlpi_adds;
        return 1;
      },
      &loaded);
  return loaded;
}

}  // namespace

Process::Process() : options_(read_options()), settings_(read_settings()), begin_s_(measure::now()) {
  mpi::require_library_of_build();
  require(packs_without_header(), Code::unsupported, "MPI_Pack of this MPI library adds a header");
  mpi::check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_communicator, &key_, nullptr),
             "MPI_Comm_create_keyval");
  hook_ = std::make_unique<mpi::FinalizeHook>(end_process);
}

void Process::open_environment() {
  const std::scoped_lock lock(mutex_);
  if (!environment_open_) {
    mpi::open_environment();
    environment_open_ = true;
  }
}

void Process::keep(Summary summary) {
  const std::scoped_lock lock(mutex_);
  const auto row = std::ranges::find_if(summaries_, [&](const Summary& known) { return known.same_row(summary); });
  if (row != summaries_.end()) {
    row->add(summary);
  } else {
    summaries_.push_back(std::move(summary));
  }
}

double Process::seconds() const { return measure::now() - begin_s_; }

void Process::end() {
  Communicator::end_all();
  if (settings_->deferred_history != nullptr) {
    history_ = options_.measures ? measured_history(*settings_->deferred_history)
                                 : store_history(*settings_->deferred_history, seconds(), mpi::world_rank() == 0);
  }
  if (!options_.report.empty() && mpi::world_rank() == 0) {
    write_report(*this);
  }
  if (environment_open_) {
    mpi::close_environment();
  }
  MPI_Comm_free_keyval(&key_);
}

Process& process() { return *instance; }

/// Never destroyed, because MPI may call the deletion functions of attributes after main().
bool begin_process() {
  const mpi::OwnCalls own;
  const std::scoped_lock lock(begin_mutex);
  if (phase.load() != Phase::unknown) {
    return phase.load() == Phase::on;
  }
  if (variable("ADCL_INTERPOSE") == "off") {
    phase.store(Phase::off);
    return false;
  }
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0 || mpi::is_finalized()) {
    return false;
  }
  try {
    instance = new Process();
    find_libadcl();
    phase.store(Phase::on, std::memory_order_release);
    return true;
  } catch (const std::exception&) {
    phase.store(Phase::off);
    return false;
  }
}

bool inside_libadcl() noexcept {
  const auto inside = libadcl.load(std::memory_order_relaxed);
  return inside != nullptr && inside() != 0;
}

/// Searching for a function that no library has takes 90 us, so it is repeated only after libraries were loaded.
void find_libadcl() noexcept {
  static std::atomic<unsigned long long> searched{0};
  if (libadcl.load(std::memory_order_relaxed) != nullptr) {
    return;
  }
  const unsigned long long loaded = loaded_libraries();
  if (searched.load(std::memory_order_relaxed) != loaded) {
    libadcl.store(reinterpret_cast<int (*)()>(profile::find_next("ADCL_Inside")), std::memory_order_relaxed);
    searched.store(loaded, std::memory_order_relaxed);
  }
}

int raise_error(MPI_Comm comm) noexcept {
  const mpi::ApplicationCalls application;
  MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

bool has_gpu_runtime() { return dl_iterate_phdr(look_for_gpu, nullptr) != 0; }

}  // namespace adcl::interpose
