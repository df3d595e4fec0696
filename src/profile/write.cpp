#include "profile/write.hpp"

#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "profile/counters.hpp"

namespace adcl::profile {
namespace {

constexpr int schema = 1;

std::atomic<bool> begun{false};
std::atomic<bool> written{false};
std::uint64_t begin_ticks = 0;
double begin_s = 0.0;

/// Adds the counters of all threads to \p totals.
void sum(Counters& totals) noexcept {
  for (const Counters* counters = all_counters(); counters != nullptr; counters = counters->next) {
    for (std::size_t i = 0; i < call_count; ++i) {
      totals.calls[i].add(counters->calls[i].get());
      totals.call_ticks[i].add(counters->call_ticks[i].get());
    }
    for (std::size_t i = 0; i < size_classes; ++i) {
      totals.messages[i].add(counters->messages[i].get());
      totals.bytes[i].add(counters->bytes[i].get());
    }
    totals.near_limit_messages.add(counters->near_limit_messages.get());
    totals.near_limit_bytes.add(counters->near_limit_bytes.get());
  }
}

/// An output file that records errors; close() returns true if there were none.
class Document {
 public:
  explicit Document(std::FILE* file) noexcept : file_(file) {}

  __attribute__((format(printf, 2, 3))) void print(const char* format, ...) noexcept {
    va_list values;
    va_start(values, format);
    good_ = std::vfprintf(file_, format, values) >= 0 && good_;
    va_end(values);
  }

  /// Writes a member with a text value.
  void text(const char* name, const char* value) noexcept {
    print(R"(  "%s": ")", name);
    for (; *value != '\0'; ++value) {
      const auto letter = static_cast<unsigned char>(*value);
      if (letter == '"' || letter == '\\') {
        print("\\%c", letter);
      } else if (letter < 0x20 || letter > 0x7e) {
        print("\\u%04x", letter);
      } else {
        print("%c", letter);
      }
    }
    print("\",\n");
  }

  bool close() noexcept { return std::fclose(file_) == 0 && good_; }

 private:
  std::FILE* file_;
  bool good_ = true;
};

using Integer = unsigned long long;

/// Seconds in JSON format. Built from integers, because the program's locale may use a decimal comma.
struct Seconds {
  explicit Seconds(double value) noexcept {
    constexpr double longest = 1e9;
    constexpr Integer parts = 1000000000;
    const auto nanoseconds = static_cast<Integer>(std::fmin(std::fmax(value, 0.0), longest) * 1e9);
    static_cast<void>(std::snprintf(text, sizeof text, "%llu.%09llu", nanoseconds / parts, nanoseconds % parts));
  }
  char text[32] = {};
};

void write_calls(Document& document, const Counters& totals, double seconds_per_tick) noexcept {
  double kind_s[kind_count] = {};
  document.print(R"(  "calls": {)");
  const char* separator = "\n";
  for (std::size_t i = 0; i < call_count; ++i) {
    if (totals.calls[i].get() == 0) {
      continue;
    }
    const auto kind = static_cast<std::size_t>(call_table[i].kind);
    const double seconds = static_cast<double>(totals.call_ticks[i].get()) * seconds_per_tick;
    kind_s[kind] += seconds;
    document.print(R"(%s    "%s": {"kind": "%s", "count": %llu, "seconds": %s})", separator, call_table[i].name,
                   kind_names[kind], Integer{totals.calls[i].get()}, Seconds(seconds).text);
    separator = ",\n";
  }
  document.print("\n  },\n  \"seconds_in\": {");
  for (std::size_t i = 0; i < kind_count; ++i) {
    document.print(R"(%s"%s": %s)", i == 0 ? "" : ", ", kind_names[i], Seconds(kind_s[i]).text);
  }
  document.print("},\n");
}

/// Sum over the size classes from `low` to `high`.
std::uint64_t sum_of(const Counter (&values)[size_classes], std::size_t low = 0,
                     std::size_t high = size_classes - 1) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = low; i <= high; ++i) {
    sum += values[i].get();
  }
  return sum;
}

void write_messages(Document& document, const Counters& totals) noexcept {
  document.print("  \"messages\": {\n");
  const auto member = [&document](const char* name, std::uint64_t value) {
    document.print("    \"%s\": %llu,\n", name, Integer{value});
  };
  member("PSC_MPI_MSG_P2P_THR", totals.near_limit_bytes.get());
  member("PSC_MPI_MSG_P2P_TOT", sum_of(totals.bytes));
  member("count_near_limit", totals.near_limit_messages.get());
  member("count", sum_of(totals.messages));
  std::size_t low = 0;
  for (const unsigned kib : {2U, 4U, 8U, 16U, 32U, 64U}) {
    const std::size_t high = size_class(std::uint64_t{1024} * kib);
    document.print("    \"PSC_MPI_MSG_P2P_%uK\": %llu,\n", kib, Integer{sum_of(totals.messages, low, high)});
    low = high + 1;
  }
  document.print("    \"sizes\": [");
  const char* separator = "\n";
  for (std::size_t i = 0; i < size_classes; ++i) {
    if (totals.messages[i].get() > 0) {
      document.print(R"(%s      {"up_to": %llu, "count": %llu, "bytes": %llu})", separator, 1ULL << i,
                     Integer{totals.messages[i].get()}, Integer{totals.bytes[i].get()});
      separator = ",\n";
    }
  }
  document.print("\n    ]\n  }\n}\n");
}

void write_all(Document& document, int rank, int ranks) noexcept {
  const double seconds = PMPI_Wtime() - begin_s;
  const std::uint64_t elapsed = ticks() - begin_ticks;
  const bool timed = begun.load() && elapsed > 0 && seconds > 0.0;
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(library, &length);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  static constinit Counters totals;
  sum(totals);
  document.print("{\n  \"schema\": %d,\n  \"rank\": %d,\n  \"ranks\": %d,\n", schema, rank, ranks);
  document.text("program", program_invocation_short_name);
  document.text("host", host);
  document.text("mpi_library", library);
  document.print("  \"seconds\": %s,\n", Seconds(timed ? seconds : 0.0).text);
  write_calls(document, totals, timed ? seconds / static_cast<double>(elapsed) : 0.0);
  write_messages(document, totals);
}

}  // namespace

void begin_profile() noexcept {
  if (!begun.exchange(true)) {
    begin_s = PMPI_Wtime();
    begin_ticks = ticks();
  }
}

void write_profile() noexcept {
  const char* const folder = std::getenv("ADCL_PROFILE");
  int initialized = 0;
  int rank = 0;
  int ranks = 1;
  if (folder == nullptr || *folder == '\0' || written.exchange(true) || PMPI_Initialized(&initialized) != MPI_SUCCESS ||
      initialized == 0) {
    return;
  }
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int error = errno;
  mkdir(folder, 0777);
  char path[4096];
  char temporary[4096];
  // Write to a temporary file and rename it, so that other processes never read an incomplete file.
  if (std::snprintf(path, sizeof path, "%s/adcl-profile.%d.json", folder, rank) < static_cast<int>(sizeof path) - 32 &&
      std::snprintf(temporary, sizeof temporary, "%s/.adcl-profile.%d.%ld", folder, rank, long{getpid()}) > 0) {
    if (std::FILE* const file = std::fopen(temporary, "we"); file != nullptr) {
      Document document(file);
      write_all(document, rank, ranks);
      if (!document.close() || std::rename(temporary, path) != 0) {
        unlink(temporary);
      }
    }
  }
  errno = error;
}

}  // namespace adcl::profile
