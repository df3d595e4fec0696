// Derives settings from the values of options, and sends them to the other ranks.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/nearest.hpp"
#include "options/options.hpp"

namespace adcl::runtime {
namespace {

class Packer {
 public:
  std::vector<std::byte> bytes;

  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void operator()(Number value) { add(&value, sizeof value); }
  void operator()(const std::string& value) {
    (*this)(value.size());
    add(value.data(), value.size());
  }

 private:
  void add(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), first, first + size);
  }
};

class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte>& bytes) : rest_(bytes) {}

  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void operator()(Number& value) {
    const auto taken = take(sizeof value);
    std::memcpy(&value, taken.data(), taken.size());
  }
  void operator()(std::string& value) {
    std::size_t size = 0;
    (*this)(size);
    const auto taken = take(size);
    value.assign(reinterpret_cast<const char*>(taken.data()), taken.size());
  }

 private:
  std::span<const std::byte> take(std::size_t size) {
    require(size <= rest_.size(), Code::internal, "settings of another version of the library: too few bytes");
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

  std::span<const std::byte>& rest_;
};

bool travels(const Option& option) { return option.role != OptionRole::process; }

/// Detects bytes of another table.
std::uint64_t hash_of(std::span<const Option> table) {
  Hash hash;
  for (const Option& option : table) {
    hash.add(option.name).add(static_cast<std::uint64_t>(option.type));
  }
  return hash.value();
}

OptionValues::Value blank(OptionType type) {
  switch (type) {
    case OptionType::toggle:
      return false;
    case OptionType::integer:
      return 0;
    case OptionType::real:
      return 0.0;
    default:
      return std::string();
  }
}

bool is_read(const Option& option, const std::string& search, const std::string& outliers) {
  return option.users.empty() || std::ranges::find(option.users, search) != option.users.end() ||
         std::ranges::find(option.users, outliers) != option.users.end();
}

int monitor_of(const std::string& word) {
  return word == "auto" ? Settings::by_time : static_cast<int>(to_number(word).value_or(0.0));
}

}  // namespace

std::vector<std::byte> pack_values(const OptionValues& values, std::span<const Option> table) {
  Packer packer;
  packer(hash_of(table));
  for (const Option& option : table) {
    if (travels(option)) {
      std::visit(packer, values.value(option.name));
    }
  }
  return std::move(packer.bytes);
}

OptionValues unpack_values(std::span<const std::byte>& bytes, std::span<const Option> table) {
  Unpacker unpacker(bytes);
  std::uint64_t hash = 0;
  unpacker(hash);
  require(hash == hash_of(table), Code::internal, "settings of another version of the library: other options");
  OptionValues values;
  for (const Option& option : table) {
    if (travels(option)) {
      OptionValues::Value value = blank(option.type);
      std::visit(unpacker, value);
      values.set(option.name, std::move(value));
    } else {
      values.set(option, option.default_value);
    }
  }
  return values;
}

std::uint64_t decision_hash_of(const OptionValues& values, std::span<const Option> table, const std::string& search,
                               const std::string& outliers) {
  Packer packer;
  for (const Option& option : table) {
    if (option.role == OptionRole::decides && is_read(option, search, outliers)) {
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
  // Values end where the table says, so what begins with the own ones is the own ones.
  const auto known = own->pack();
  if (known.size() <= bytes.size() && std::ranges::equal(known, bytes.first(known.size()))) {
    bytes = bytes.subspan(known.size());
    return own;
  }
  return std::make_shared<const Settings>(from(unpack_values(bytes, option_table())));
}

}  // namespace adcl::runtime
