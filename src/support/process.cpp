#include <arks/support/process.h>

#include <dlfcn.h>
#include <malloc.h>

#include <filesystem>

namespace arks {

std::optional<std::string> slow_blas_advice() {
  // Debian's alternatives decide at load time which library brings sgemm_; the reference one lives in …/blas/
  void* const sgemm = dlsym(RTLD_DEFAULT, "sgemm_");
  Dl_info info{};
  if (sgemm == nullptr || dladdr(sgemm, &info) == 0 || info.dli_fname == nullptr) return std::nullopt;
  std::error_code ignored;
  const auto library = std::filesystem::canonical(info.dli_fname, ignored).string();
  if (library.find("/blas/libblas.so") == std::string::npos) return std::nullopt;
  return "libtorch runs on the reference BLAS (" + library +
         "), which is many times slower; apt-get install libopenblas0-pthread";
}

void set_blas_threads(int threads) {
  constexpr int kOwnThreads = 1;  // as openblas_get_parallel says it; 2 is OpenMP, whose threads are torch's own
  const auto parallel = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_parallel"));
  const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (parallel != nullptr && set != nullptr && parallel() == kOwnThreads) set(threads);
}

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2000000000);
  mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace arks
