#include "support/one_thread.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace arks {

namespace {

/// Of the OpenMP runtime that libtorch and oneDNN have loaded, whichever it is; at::set_num_threads would also change
/// what new threads begin with.
void set_threads(int threads) {
  const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set != nullptr) set(threads);
}

}  // namespace

OneThread::OneThread() : before_(at::get_num_threads()) {  // asking also makes torch set up this thread, before we do
  set_threads(1);
}

OneThread::~OneThread() {
  set_threads(before_);
}

}  // namespace arks
