/// \file report.hpp
/// Formats a record as text for users and as JSON for programs.
#pragma once

#include <string>

#include "simulation.hpp"

namespace solver3d {

std::string as_text(const Record& record);

/// One JSON object in one line, with a newline at its end.
std::string as_json(const Record& record);

}  // namespace solver3d
