// ADCL_Request_start_with and ADCL_Request_init_with: an operation on arrays other than the request's.
#include "core/error.hpp"
#include "request/request.hpp"

namespace adcl::runtime {
namespace {

/// A null pointer is an error, unless the request was created at MPI_BOTTOM or without an array.
bool needs_array(const data::Vector* vector) {
  return vector != nullptr && vector->data() != nullptr && vector->data() != data::Vector::no_array();
}

const void* or_no_array(const void* given, const data::Vector* vector) {
  const bool replaced = given == nullptr && vector != nullptr && vector->data() == data::Vector::no_array();
  return replaced ? data::Vector::no_array() : given;
}

}  // namespace

Buffers Request::take_arrays(const void* send, void* receive) {
  require_idle();
  require(parts_.set->predefined(), Code::unsupported,
          "codelets of the application's own find their arrays by "
          "ADCL_Request_get_field; other ones can only be rebound, by ADCL_Vector_rebind");
  require(parts_.fields.size() == 1, Code::unsupported, "the request has ", parts_.fields.size(),
          " fields; other arrays can be given to a request of one");
  const data::Field& field = parts_.fields.front();
  const bool sends = needs_array(field.send_vector.get());
  const bool receives = needs_array(field.receive_vector.get());
  require(send != nullptr || !sends, Code::argument, "sbuf is a null pointer");
  require(receive != nullptr || !receives, Code::argument, "rbuf is a null pointer");
  const bool same = field.send_vector == field.receive_vector;
  require((send == receive) == same || !sends || !receives, Code::argument, "sbuf and rbuf are ",
          same ? "two arrays, and the request was created with one that is sent from and received into"
               : "the same array, and the request was created with two");
  others_.front() = {or_no_array(send, field.send_vector.get()),
                     const_cast<void*>(or_no_array(receive, field.receive_vector.get()))};
  return others_;
}

void Request::start_with(const void* send, void* receive) {
  const Buffers buffers = take_arrays(send, receive);
  Ready& ready = ready_.at(static_cast<std::size_t>(Mode::blocking_with));
  if (ready.plan != nullptr && --ready.licence->left >= 0) {
    last_ = {Mode::blocking_with, ready.candidate};
    ready.plan->run(buffers);
    return;
  }
  start_searching(Mode::blocking_with, buffers);
}

void Request::init_with(const void* send, void* receive) { init_in(Mode::split_with, take_arrays(send, receive)); }

}  // namespace adcl::runtime
