/// \file program.hpp
/// Common parts of the programs of this folder: the command line, which rank 0 broadcasts, and exit codes.
#pragma once

#include <mpi.h>

#include <charconv>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace apps {

enum ExitCode { correct = 0, wrong = 1, usage = 2 };

/// An invalid command line; the message is one line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Iterates over the arguments; a value may follow its option or an equals sign.
class Arguments {
 public:
  explicit Arguments(std::span<const std::string> arguments) : rest_(arguments) {}

  bool next() {
    if (rest_.empty()) {
      return false;
    }
    const std::string& argument = rest_.front();
    rest_ = rest_.subspan(1);
    const std::size_t equals = argument.find('=');
    option_ = argument.substr(0, equals);
    attached_.reset();
    if (equals != std::string::npos) {
      attached_ = argument.substr(equals + 1);
    }
    return true;
  }

  [[nodiscard]] const std::string& option() const { return option_; }

  std::string text() {
    if (attached_) {
      return *attached_;
    }
    if (rest_.empty()) {
      throw UsageError(option_ + " needs a value");
    }
    std::string result = rest_.front();
    rest_ = rest_.subspan(1);
    return result;
  }

  long number(long low, long high) {
    const std::string word = text();
    long value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < low || value > high) {
      throw UsageError(option_ + " takes a whole number from " + std::to_string(low) + " to " + std::to_string(high) +
                       ", not '" + word + "'");
    }
    return value;
  }

  [[nodiscard]] bool flag() const {
    if (attached_) {
      throw UsageError(option_ + " takes no value");
    }
    return true;
  }

 private:
  std::span<const std::string> rest_;
  std::string option_;
  std::optional<std::string> attached_;
};

/// MPI guarantees the command line on rank 0 only, so all ranks parse rank 0's arguments. Collective.
inline std::vector<std::string> broadcast_arguments(int argc, char** argv, int rank) {
  std::string joined;
  if (rank == 0) {
    for (int i = 1; i < argc; ++i) {
      joined.append(argv[i]).push_back('\0');
    }
  }
  int length = static_cast<int>(joined.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  joined.resize(static_cast<std::size_t>(length));
  MPI_Bcast(joined.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  std::vector<std::string> arguments;
  for (std::size_t begin = 0; begin < joined.size(); begin += arguments.back().size() + 1) {
    arguments.emplace_back(joined.c_str() + begin);
  }
  return arguments;
}

/// Implementation of main(): \p run gets the arguments and returns an ExitCode that is the same on all ranks.
/// UsageError, which all ranks must throw together, is printed as one line on standard error.
template <typename Run>
int main_of(const char* name, int argc, char** argv, Run run) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int code = wrong;
  try {
    code = run(broadcast_arguments(argc, argv, rank));
  } catch (const UsageError& error) {
    if (rank == 0) {
      std::cerr << std::string(name) + ": " + error.what() + "\n" << std::flush;
    }
    code = usage;
  } catch (const std::exception& error) {
    // Possibly only this rank has the error, for example out of memory; the other ranks must not wait for it.
    std::cerr << std::string(name) + ": rank " + std::to_string(rank) + ": " + error.what() + "\n" << std::flush;
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
  return code;
}

}  // namespace apps
