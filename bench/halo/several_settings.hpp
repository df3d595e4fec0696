/// \file several_settings.hpp
/// Settings of bench_several.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace bench {

struct Setting {
  int neighbors;
  int side;
  int fields;
  [[nodiscard]] std::string name() const {
    return std::to_string(neighbors) + "_neighbors_" + std::to_string(side) + "_" + std::to_string(fields) +
           (fields == 1 ? "_field" : "_fields");
  }
};

/// All settings, or those whose names begin with one of the names on the command line.
inline std::vector<Setting> settings(const std::vector<std::string>& wanted) {
  std::vector<Setting> list;
  for (const int neighbors : {6, 26}) {
    for (const int side : {16, 32, 64}) {
      for (const int fields : {1, 3, 7}) {
        const Setting setting{neighbors, side, fields};
        if (wanted.empty() || std::any_of(wanted.begin(), wanted.end(),
                                          [&](const std::string& name) { return setting.name().starts_with(name); })) {
          list.push_back(setting);
        }
      }
    }
  }
  return list;
}

}  // namespace bench
