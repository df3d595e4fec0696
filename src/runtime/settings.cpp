// From the texts of options to the values the library works with, and from there to the other ranks.
#include <cstring>
#include <type_traits>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "runtime/options.hpp"

namespace adcl::runtime {
namespace {

/// Every value of the settings, in one order for both ways.
template <typename Archive, typename Values>
void visit(Archive& archive, Values& settings) {
  archive(settings.search);
  archive(settings.outliers);
  archive(settings.search_options);
  archive(settings.timing);
  archive(settings.codelets);
  archive(settings.merge_requests);
  archive(settings.timer_interval);
  archive(settings.timer_combinations);
  archive(settings.monitor);
  archive(settings.overlap_blocking);
  archive(settings.device);
  archive(settings.reproducible);
  archive(settings.memory_limit);
  archive(settings.history);
  archive(settings.report);
  archive(settings.trace);
  archive(settings.trace_production);
  archive(settings.run);
  archive(settings.decision_hash);
}

class Packer {
 public:
  std::vector<std::byte> bytes;

  template <typename Number>
  requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>) void operator()(Number value) {
    add(&value, sizeof value);
  }
  void operator()(const std::string& value) {
    (*this)(value.size());
    add(value.data(), value.size());
  }
  void operator()(const CodeletFilter& filter) {
    (*this)(filter.rules().size());
    for (const auto& [set, rule] : filter.rules()) {
      (*this)(set);
      (*this)(rule.excludes);
      (*this)(rule.names.size());
      for (const std::string& name : rule.names) {
        (*this)(name);
      }
    }
  }
  void operator()(const OptionValues& options) {
    (*this)(options.all().size());
    for (const auto& [name, value] : options.all()) {
      (*this)(name);
      (*this)(value.index());
      std::visit(*this, value);
    }
  }

 private:
  void add(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), first, first + size);
  }
};

class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename Number>
  requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>) void operator()(Number& value) {
    const auto taken = take(sizeof value);
    std::memcpy(&value, taken.data(), taken.size());
  }
  void operator()(std::string& value) {
    const auto taken = take(number());
    value.assign(reinterpret_cast<const char*>(taken.data()), taken.size());
  }
  void operator()(CodeletFilter& filter) {
    std::map<std::string, CodeletFilter::Rule> rules;
    for (std::size_t left = number(); left > 0; --left) {
      std::string set;
      (*this)(set);
      CodeletFilter::Rule& rule = rules[set];
      (*this)(rule.excludes);
      for (std::size_t names = number(); names > 0; --names) {
        (*this)(rule.names.emplace_back());
      }
    }
    filter = CodeletFilter(std::move(rules));
  }
  void operator()(OptionValues& options) {
    std::map<std::string, OptionValues::Value> values;
    for (std::size_t left = number(); left > 0; --left) {
      std::string name;
      (*this)(name);
      values[name] = value<0>(number());
    }
    options = OptionValues(std::move(values));
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  std::span<const std::byte> take(std::size_t size) {
    require(size <= rest_.size(), Code::internal, "settings of another version of the library: too few bytes");
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  std::size_t number() {
    std::size_t value = 0;
    (*this)(value);
    return value;
  }
  /// One of the type that has the number \p type among those from \p Index on.
  template <std::size_t Index>
  OptionValues::Value value(std::size_t type) {
    if constexpr (Index == std::variant_size_v<OptionValues::Value>) {
      throw Error(Code::internal, "settings of another version of the library: an unknown type");
    } else {
      if (type != Index) {
        return value<Index + 1>(type);
      }
      std::variant_alternative_t<Index, OptionValues::Value> read{};
      (*this)(read);
      return read;
    }
  }

  std::span<const std::byte> rest_;
};

Timing timing_of(const std::string& word) {
  return word == "barrier"     ? Timing::barrier
         : word == "interval"  ? Timing::interval
         : word == "nobarrier" ? Timing::nobarrier
                               : Timing::arrival;
}

int monitor_of(const std::string& word) {
  return word == "auto" ? Settings::by_time : static_cast<int>(to_number(word).value_or(0.0));
}

/// Of everything that can change a decision.
std::uint64_t decision_hash_of(Settings settings) {
  settings.report.clear();
  settings.trace.clear();
  settings.trace_production = false;
  settings.run.clear();
  settings.timer_interval = 1;
  settings.timer_combinations = 1;
  settings.decision_hash = 0;
  return Hash().add_all(settings.pack()).value();
}

}  // namespace

Settings Settings::from(const OptionValues& values) {
  Settings settings;
  settings.search = values.word("ADCL_SEARCH");
  settings.outliers = values.word("ADCL_OUTLIERS");
  settings.search_options.take(values, search::find(settings.search).options);
  settings.search_options.take(values, estimate::find(settings.outliers).options);
  settings.timing = timing_of(values.word("ADCL_TIMING"));
  settings.codelets = CodeletFilter(values.word("ADCL_CODELETS"));
  settings.merge_requests = values.toggle("ADCL_MERGE_REQUESTS");
  settings.timer_interval = values.integer("ADCL_TIMER_INTERVAL");
  settings.timer_combinations = values.integer("ADCL_TIMER_COMBINATIONS");
  settings.monitor = monitor_of(values.word("ADCL_MONITOR"));
  settings.overlap_blocking = values.toggle("ADCL_OVERLAP_BLOCKING");
  settings.device = values.toggle("ADCL_DEVICE");
  settings.reproducible = values.toggle("ADCL_REPRODUCIBLE");
  settings.memory_limit = values.real("ADCL_MEMORY_LIMIT");
  settings.history = values.word("ADCL_HISTORY");
  settings.report = values.word("ADCL_REPORT");
  settings.trace = values.word("ADCL_TRACE");
  settings.trace_production = settings.trace != "off" && values.toggle("ADCL_TRACE_PRODUCTION");
  settings.decision_hash = decision_hash_of(settings);
  return settings;
}

std::vector<std::byte> Settings::pack() const {
  Packer packer;
  visit(packer, *this);
  return std::move(packer.bytes);
}

Settings Settings::unpack(std::span<const std::byte> bytes) {
  Settings settings;
  Unpacker unpacker(bytes);
  visit(unpacker, settings);
  require(unpacker.done(), Code::internal, "settings of another version of the library: too many bytes");
  return settings;
}

}  // namespace adcl::runtime
