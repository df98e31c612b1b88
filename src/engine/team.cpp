#include "engine/team.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <atomic>
#include <exception>

namespace arks::engine {

namespace {

struct Work {
  const std::function<void(int64_t)>& f;
  int64_t count;
  std::atomic<int64_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error{};
};

/// One thread's part: whatever is left. No exception may leave it.
void take_part(void* data) {
  auto& work = *static_cast<Work*>(data);
  for (int64_t i = work.next++; i < work.count; i = work.next++) {
    try {
      work.f(i);
    } catch (...) {
      if (!work.failed.exchange(true)) work.error = std::current_exception();
    }
  }
}

/// at::parallel_for is a template that is parallel only where OpenMP is switched on in the compiler, which would bring
/// its own runtime beside the one that libtorch has loaded. This is that one's entry, the same in GNU's and LLVM's.
using Parallel = void (*)(void (*)(void*), void*, unsigned threads, unsigned flags);

Parallel parallel() {
  static const auto found = reinterpret_cast<Parallel>(dlsym(RTLD_DEFAULT, "GOMP_parallel"));
  return found;
}

}  // namespace

void on_threads(int64_t count, const std::function<void(int64_t)>& f) {
  Work work{f, count};
  if (count < 2 || at::get_num_threads() < 2 || at::in_parallel_region() || parallel() == nullptr) {
    take_part(&work);
  } else {
    parallel()(take_part, &work, /*threads=*/0, /*flags=*/0);  // 0: as many as torch has set
  }
  if (work.error) std::rethrow_exception(work.error);
}

}  // namespace arks::engine
