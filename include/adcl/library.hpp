/** \file library.hpp
 *  Start and end of the library, options and version. */
#ifndef ADCL_LIBRARY_HPP
#define ADCL_LIBRARY_HPP

#include <string>
#include <utility>
#include <vector>

#include "error.hpp"

namespace adcl {

namespace detail {

/** Whether objects can still be freed: between ADCL_Init and ADCL_Finalize, before MPI_Finalize. */
inline bool is_running() noexcept {
  int initialized = 0;
  int finalized = 0;
  ADCL_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

}  // namespace detail

/** Initializes the library, and finalizes it when destroyed. Create it after MPI_Init; destroy it before MPI_Finalize,
 *  on all ranks, after the requests. */
class Library {
 public:
  explicit Library(OnError on_error = {}) : owns_(on_error(ADCL_Init())) {}
  Library(Library&& other) noexcept : owns_(std::exchange(other.owns_, false)) {}
  Library& operator=(Library&& other) noexcept {
    std::swap(owns_, other.owns_);
    return *this;
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (owns_ && detail::is_running()) {
      ADCL_Finalize();
    }
  }

  explicit operator bool() const noexcept { return owns_; }

  /** Like the destructor, but reports errors, such as a report that cannot be written. */
  void finalize(OnError on_error = {}) {
    owns_ = false;
    on_error(ADCL_Finalize());
  }

 private:
  bool owns_;
};

/** ADCL_Option_set. */
inline void set_option(const std::string& name, const std::string& value, OnError on_error = {}) {
  on_error(ADCL_Option_set(name.c_str(), value.c_str()));
}

/** The current value of an option, as text. */
inline std::string option(const std::string& name, OnError on_error = {}) {
  std::vector<char> value(64 * ADCL_MAX_NAME);
  return on_error(ADCL_Option_get(name.c_str(), value.data(), static_cast<int>(value.size()))) ? value.data() : "";
}

struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
};

/** Version of the running library. */
inline Version version() noexcept {
  Version result;
  ADCL_Get_version(&result.major, &result.minor, &result.patch);
  return result;
}

}  // namespace adcl

#endif
