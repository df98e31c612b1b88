#pragma once
#include <cstdint>
#include <functional>

namespace arks::engine {

/// f(0) … f(count − 1), each once, at the same time on as many threads as torch uses; returns when all are done, with
/// the first exception if there was any. They are torch's own threads: whatever torch runs within f runs on one. Inside
/// a parallel region everything runs on the calling thread.
void on_threads(int64_t count, const std::function<void(int64_t)>& f);

}  // namespace arks::engine
