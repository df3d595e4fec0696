/** \file request.hpp
 *  Class Request: an operation that tunes itself. */
#ifndef ADCL_REQUEST_HPP
#define ADCL_REQUEST_HPP

#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "error.hpp"
#include "library.hpp"

namespace adcl {

/** Results of one candidate; see ADCL_Request_get_statistics. */
struct Candidate {
  std::string name;
  int measurements = 0;
  double mean_s = 0.0;
  double filtered_mean_s = 0.0;
  int outliers = 0;
};

namespace detail {

/** The functions of the running Request::start_overlap of this thread, which ADCL calls without an argument for them.
 */
struct Work {
  virtual void run(int part) = 0;
  static Work*& current() noexcept {
    thread_local Work* work = nullptr;
    return work;
  }
  template <int Part>
  static void call(ADCL_Request /*request*/) {
    current()->run(Part);
  }

 protected:
  ~Work() = default;
};

template <typename Mid, typename End, typename Total>
struct WorkOf final : Work {
  WorkOf(Mid& mid, End& end, Total& total) : mid_(mid), end_(end), total_(total) {}

  /** Runs one function. Its exception is kept for the caller, and ends the library's call. */
  void run(int part) override {
#if defined(__cpp_exceptions)
    try {
      run_part(part);
    } catch (...) {
      failure = std::current_exception();
      throw;
    }
#else
    run_part(part);
#endif
  }

  std::exception_ptr failure;

 private:
  void run_part(int part) {
    if (part == 0) {
      mid_();
    } else if (part == 1) {
      end_();
    } else {
      total_();
    }
  }

  Mid& mid_;
  End& end_;
  Total& total_;
};

}  // namespace detail

/** A persistent operation. Functions without a comment are those of ADCL.h with the same name. */
class Request {
 public:
  Request() noexcept = default;
  /** Takes ownership of \p handle. \p kept is released after the handle is freed. */
  explicit Request(ADCL_Request handle, std::shared_ptr<void> kept = {}) noexcept
      : handle_(handle), kept_(std::move(kept)) {}
  Request(Request&& other) noexcept
      : handle_(std::exchange(other.handle_, ADCL_REQUEST_NULL)),
        in_flight_(std::exchange(other.in_flight_, false)),
        kept_(std::move(other.kept_)) {}
  Request& operator=(Request&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, ADCL_REQUEST_NULL);
      in_flight_ = std::exchange(other.in_flight_, false);
      kept_ = std::move(other.kept_);
    }
    return *this;
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() { reset(); }

  /** Exchanges the operations of two requests, for solvers that swap their arrays. */
  friend void swap(Request& left, Request& right) noexcept {
    std::swap(left.handle_, right.handle_);
    std::swap(left.in_flight_, right.in_flight_);
    left.kept_.swap(right.kept_);
  }

  explicit operator bool() const noexcept { return handle_ != ADCL_REQUEST_NULL; }
  /** The handle, for calls of ADCL.h; it remains property of this object. */
  [[nodiscard]] ADCL_Request get() const noexcept { return handle_; }

  /** Completes an operation in flight and frees the request; ignores errors. Collective. */
  void reset() noexcept {
    if (*this && detail::is_running()) {
      if (in_flight_) {
        ADCL_Request_wait(handle_);
      }
      ADCL_Request_free(&handle_);
    }
    handle_ = ADCL_REQUEST_NULL;
    in_flight_ = false;
    kept_.reset();
  }
  /** Frees the request; Errc::state if it is in flight. Collective. */
  void free(OnError on_error = {}) {
    if (on_error(ADCL_Request_free(&handle_))) {
      kept_.reset();
    }
  }

  void start(OnError on_error = {}) { on_error(ADCL_Request_start(handle_)); }
  void init(OnError on_error = {}) {
    const int code = ADCL_Request_init(handle_);
    in_flight_ = in_flight_ || code == ADCL_SUCCESS;
    on_error(code);
  }
  void start_with(const void* send, void* receive, OnError on_error = {}) {
    on_error(ADCL_Request_start_with(handle_, send, receive));
  }
  void init_with(const void* send, void* receive, OnError on_error = {}) {
    const int code = ADCL_Request_init_with(handle_, send, receive);
    in_flight_ = in_flight_ || code == ADCL_SUCCESS;
    on_error(code);
  }
  void wait(OnError on_error = {}) {
    in_flight_ = false;
    on_error(ADCL_Request_wait(handle_));
  }
  /** Whether the operation is complete. */
  bool test(OnError on_error = {}) {
    int flag = 0;
    if (!on_error(ADCL_Request_test(handle_, &flag)) || flag != 0) {
      in_flight_ = false;
    }
    return flag != 0;
  }
  void progress(int depth = 0, OnError on_error = {}) { on_error(ADCL_Request_progress(handle_, depth)); }

  /** ADCL_Request_start_overlap with function objects without arguments. Rethrows an exception of a function. */
  template <typename Mid, typename End, typename Total>
  void start_overlap(Mid&& mid, End&& end, Total&& total, OnError on_error = {}) {
    detail::WorkOf<Mid, End, Total> work(mid, end, total);
    detail::Work* const outer = std::exchange(detail::Work::current(), &work);
    const int code =
        ADCL_Request_start_overlap(handle_, detail::Work::call<0>, detail::Work::call<1>, detail::Work::call<2>);
    detail::Work::current() = outer;
#if defined(__cpp_exceptions)
    if (work.failure) {
      std::rethrow_exception(work.failure);
    }
#endif
    on_error(code);
  }
  void update(double seconds, OnError on_error = {}) { on_error(ADCL_Request_update(handle_, seconds)); }
  void verify(OnError on_error = {}) { on_error(ADCL_Request_verify(handle_)); }

  void set_name(const std::string& name, OnError on_error = {}) {
    on_error(ADCL_Request_set_name(handle_, name.c_str()));
  }
  /** Whether the request still measures codelets. */
  [[nodiscard]] bool is_searching(OnError on_error = {}) const {
    int state = ADCL_STATE_SEARCH;
    on_error(ADCL_Request_get_state(handle_, &state));
    return state == ADCL_STATE_SEARCH;
  }
  /** Name of the winner; empty while searching. */
  [[nodiscard]] std::string winner(OnError on_error = {}) const { return text(ADCL_Request_get_winner, on_error); }
  /** Name of the codelet that ran last. */
  [[nodiscard]] std::string current(OnError on_error = {}) const {
    return text(ADCL_Request_get_curr_function, on_error);
  }
  [[nodiscard]] std::string function_set(OnError on_error = {}) const {
    return text(ADCL_Request_get_fsname, on_error);
  }
  /** Results of all candidates. */
  [[nodiscard]] std::vector<Candidate> candidates(OnError on_error = {}) const {
    int number = 0;
    std::vector<Candidate> result;
    bool valid = on_error(ADCL_Request_get_functions_num(handle_, &number));
    for (int i = 0; valid && i < number; ++i) {
      std::array<char, ADCL_MAX_NAME> name{};
      Candidate one;
      valid = on_error(ADCL_Request_get_statistics(handle_, i, name.data(), ADCL_MAX_NAME, &one.measurements,
                                                   &one.mean_s, &one.filtered_mean_s, &one.outliers));
      one.name = name.data();
      result.push_back(std::move(one));
    }
    return result;
  }

  /** Returns the handle, which the caller must free. Fails if the request keeps other objects, as the halo of a strided
   *  view does: Errc::unsupported, and the request is unchanged. */
  [[nodiscard]] ADCL_Request release(OnError on_error = {}) {
    if (kept_) {
      on_error(ADCL_Error_record(ADCL_ERR_UNSUPPORTED,
                                 "adcl::Request::release: this halo of a strided view owns a communicator; keep the "
                                 "Request and call get()"));
      return ADCL_REQUEST_NULL;
    }
    in_flight_ = false;
    return std::exchange(handle_, ADCL_REQUEST_NULL);
  }

 private:
  std::string text(int (*query)(ADCL_Request, char*, int), OnError on_error) const {
    std::array<char, ADCL_MAX_NAME> name{};
    on_error(query(handle_, name.data(), ADCL_MAX_NAME));
    return name.data();
  }

  ADCL_Request handle_ = ADCL_REQUEST_NULL;
  bool in_flight_ = false;
  std::shared_ptr<void> kept_;
};

}  // namespace adcl

#endif
