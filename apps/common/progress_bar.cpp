#include "common/progress_bar.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <string>

namespace apps {
namespace {

constexpr double interval_s = 0.1;
constexpr int width = 40;

}  // namespace

ProgressBar::ProgressBar(bool wanted) : visible_(wanted && isatty(STDERR_FILENO) == 1), drawn_at_(MPI_Wtime()) {}

ProgressBar::~ProgressBar() {
  if (drawn_) {
    std::cerr << '\r' << std::string(width + 8, ' ') << '\r' << std::flush;
  }
}

void ProgressBar::show(double done) {
  if (!visible_) {
    return;
  }
  const double now = MPI_Wtime();
  if (now - drawn_at_ < interval_s) {
    return;
  }
  drawn_at_ = now;
  drawn_ = true;
  const int filled = static_cast<int>(std::clamp(done, 0.0, 1.0) * width);
  const std::string bar =
      std::string(static_cast<std::size_t>(filled), '#') + std::string(static_cast<std::size_t>(width - filled), '.');
  std::cerr << "\r[" << bar << "] " << std::setw(3) << static_cast<int>(100.0 * done) << " %" << std::flush;
}

}  // namespace apps
