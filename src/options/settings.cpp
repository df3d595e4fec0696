// Derives settings from the values of options, and serializes them for the other ranks.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"
#include "options/options.hpp"

namespace adcl::runtime {
namespace {

struct Packer {
  std::vector<std::byte> bytes;

  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void operator()(Number value) { add(std::as_bytes(std::span(&value, 1))); }
  void operator()(const std::string& value) {
    (*this)(value.size());
    add(std::as_bytes(std::span(value)));
  }
  void add(std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); }
};

struct Unpacker {
  std::span<const std::byte>& rest;

  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void operator()(Number& value) { std::memcpy(&value, take(sizeof value).data(), sizeof value); }
  void operator()(std::string& value) {
    std::size_t size = 0;
    (*this)(size);
    value.assign(reinterpret_cast<const char*>(take(size).data()), size);
  }
  std::span<const std::byte> take(std::size_t size) {
    require(size <= rest.size(), Code::internal,
            "the settings received from another rank are truncated: the ranks use different versions of ADCL; run all "
            "ranks with the same library");
    const auto taken = rest.first(size);
    rest = rest.subspan(size);
    return taken;
  }
};

bool is_sent(const Option& option) { return option.role != OptionRole::process; }

/// Identifies a table in packed values.
std::uint64_t hash_of(std::span<const Option> table) {
  Hash hash;
  for (const Option& option : table) {
    hash.add(option.name).add(static_cast<std::uint64_t>(option.type));
  }
  return hash.value();
}

bool affects(const Option& option, const std::string& search, const std::string& outliers) {
  return option.users.empty() ||
         std::ranges::any_of(option.users, [&](const std::string& user) { return user == search || user == outliers; });
}

int monitor_of(const std::string& word) {
  return word == "auto" ? Settings::by_time : static_cast<int>(to_number(word).value_or(0.0));
}

}  // namespace

std::vector<std::byte> pack_values(const OptionValues& values, std::span<const Option> table) {
  Packer packer;
  packer(hash_of(table));
  for (const Option& option : table) {
    if (is_sent(option)) {
      std::visit(packer, values.value(option.name));
    }
  }
  return std::move(packer.bytes);
}

OptionValues unpack_values(std::span<const std::byte>& bytes, std::span<const Option> table) {
  Unpacker unpacker{bytes};
  std::uint64_t hash = 0;
  unpacker(hash);
  require(hash == hash_of(table), Code::internal,
          "the settings received from another rank have different options: the ranks use different versions of ADCL; "
          "run all ranks with the same library");
  OptionValues values(table);
  for (const Option& option : table) {
    if (is_sent(option)) {
      OptionValues::Value value = values.value(option.name);  // of the option's type
      std::visit(unpacker, value);
      values.set(option.name, std::move(value));
    }
  }
  return values;
}

std::uint64_t decision_hash_of(const OptionValues& values, std::span<const Option> table, const std::string& search,
                               const std::string& outliers) {
  Packer packer;
  for (const Option& option : table) {
    if (option.role == OptionRole::decides && affects(option, search, outliers)) {
      std::visit(packer, values.value(option.name));
    }
  }
  return Hash().add_all(packer.bytes).value();
}

Settings Settings::from(OptionValues values) {
  Settings settings;
  settings.search = values.word("ADCL_SEARCH");
  settings.outliers = values.word("ADCL_OUTLIERS");
  settings.search_options.take(values, select::find(settings.search).options);
  settings.search_options.take(values, measure::find(settings.outliers).options);
  settings.timing = timing_of(values.word("ADCL_TIMING"));
  settings.merge_requests = values.toggle("ADCL_MERGE_REQUESTS");
  settings.timer_interval = values.integer("ADCL_TIMER_INTERVAL");
  settings.timer_combinations = values.integer("ADCL_TIMER_COMBINATIONS");
  settings.monitor = monitor_of(values.word("ADCL_MONITOR"));
  settings.overlap_blocking = values.toggle("ADCL_OVERLAP_BLOCKING");
  settings.trace = values.word("ADCL_TRACE");
  settings.trace_production = settings.trace != "off" && values.toggle("ADCL_TRACE_PRODUCTION");
  settings.decision_hash = decision_hash_of(values, option_table(), settings.search, settings.outliers);
  settings.values = std::move(values);
  return settings;
}

std::vector<std::byte> Settings::pack() const { return pack_values(values, option_table()); }

std::shared_ptr<const Settings> Settings::adopt(std::shared_ptr<const Settings> own,
                                                std::span<const std::byte>& bytes) {
  // Packed values are self-delimiting: if bytes begin with the process's own packed values, the values are equal.
  const auto known = own->pack();
  if (known.size() <= bytes.size() && std::ranges::equal(known, bytes.first(known.size()))) {
    bytes = bytes.subspan(known.size());
    return own;
  }
  return std::make_shared<const Settings>(from(unpack_values(bytes, option_table())));
}

}  // namespace adcl::runtime
