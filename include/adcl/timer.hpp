/** \file timer.hpp
 *  Class Timer: tunes several requests together. */
#ifndef ADCL_TIMER_HPP
#define ADCL_TIMER_HPP

#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "request.hpp"

namespace adcl {

/** Functions without a comment are those of ADCL.h with the same name. */
class Timer {
 public:
  /** The time from its creation to its destruction; both are collective. */
  class Part {
   public:
    explicit Part(Timer& timer) : timer_(&timer) { timer.start(); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part() {
      if (timer_ != nullptr) {
        ADCL_Timer_stop(timer_->get());
      }
    }
    /** Ends the part before the destructor does, and reports errors. */
    void stop(OnError on_error = {}) { std::exchange(timer_, nullptr)->stop(on_error); }

   private:
    Timer* timer_;
  };

  Timer() noexcept = default;
  /** Takes ownership of \p handle. */
  explicit Timer(ADCL_Timer handle) noexcept : handle_(handle) {}
  Timer(Timer&& other) noexcept : handle_(std::exchange(other.handle_, ADCL_TIMER_NULL)) {}
  Timer& operator=(Timer&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, ADCL_TIMER_NULL);
    }
    return *this;
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { reset(); }

  explicit operator bool() const noexcept { return handle_ != ADCL_TIMER_NULL; }
  [[nodiscard]] ADCL_Timer get() const noexcept { return handle_; }

  /** Frees the timer; ignores errors. Collective. */
  void reset() noexcept {
    if (*this && detail::is_running()) {
      ADCL_Timer_free(&handle_);
    }
    handle_ = ADCL_TIMER_NULL;
  }
  void start(OnError on_error = {}) { on_error(ADCL_Timer_start(handle_)); }
  void stop(OnError on_error = {}) { on_error(ADCL_Timer_stop(handle_)); }
  /** Starts a part that ends with the result: `{ const auto part = timer.measure(); … }`. */
  [[nodiscard]] Part measure() { return Part(*this); }
  void add(const Request& request, OnError on_error = {}) { on_error(ADCL_Timer_add_request(handle_, request.get())); }
  void remove(const Request& request, OnError on_error = {}) {
    on_error(ADCL_Timer_remove_request(handle_, request.get()));
  }
  void commit(OnError on_error = {}) { on_error(ADCL_Timer_commit(handle_)); }
  [[nodiscard]] bool is_searching(OnError on_error = {}) const {
    int state = ADCL_STATE_SEARCH;
    on_error(ADCL_Timer_get_state(handle_, &state));
    return state == ADCL_STATE_SEARCH;
  }

 private:
  ADCL_Timer handle_ = ADCL_TIMER_NULL;
};

/** A timer of these requests: `adcl::timer({pressure, velocity})`. Collective; local without requests. */
[[nodiscard]] inline Timer timer(std::initializer_list<std::reference_wrapper<const Request>> requests,
                                 OnError on_error = {}) {
  std::vector<ADCL_Request> handles;
  for (const Request& request : requests) {
    handles.push_back(request.get());
  }
  ADCL_Timer handle = ADCL_TIMER_NULL;
  on_error(ADCL_Timer_create(static_cast<int>(handles.size()), handles.data(), &handle));
  return Timer(handle);
}

}  // namespace adcl

#endif
