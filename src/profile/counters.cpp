#include "profile/counters.hpp"

#include <pthread.h>

#include <cstdlib>
#include <new>

namespace adcl::profile {

thread_local Counters* counters_of_thread __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t key;
std::atomic<Counters*> first{nullptr};
Counters* first_free = nullptr;

// A new thread continues with the counters of a finished thread, so that memory does not grow with the total number of
// threads.
void release(void* pointer) {
  auto* const ended = static_cast<Counters*>(pointer);
  counters_of_thread = nullptr;
  pthread_mutex_lock(&mutex);
  ended->next_free = first_free;
  first_free = ended;
  pthread_mutex_unlock(&mutex);
}

void make_key() { pthread_key_create(&key, release); }

}  // namespace

Counters* claim_counters() noexcept {
  pthread_once(&once, make_key);
  pthread_mutex_lock(&mutex);
  Counters* claimed = first_free;
  if (claimed != nullptr) {
    first_free = claimed->next_free;
  } else if (void* const memory = std::malloc(sizeof(Counters)); memory != nullptr) {
    claimed = new (memory) Counters;
    claimed->next = first.load(std::memory_order_relaxed);
    first.store(claimed, std::memory_order_release);
  }
  pthread_mutex_unlock(&mutex);
  counters_of_thread = claimed;
  pthread_setspecific(key, claimed);
  return claimed;
}

const Counters* all_counters() noexcept { return first.load(std::memory_order_acquire); }

}  // namespace adcl::profile
