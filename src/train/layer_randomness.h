#pragma once
#include <ATen/CPUGeneratorImpl.h>
#include <arks/support/random.h>

#include <mutex>

namespace arks {

/// Layers that draw random numbers, as dropout does, take them from torch's own generator. For one step it is started
/// from (seed, epoch, batch), so that a run is the same whatever was drawn before and a resumed one goes on in the same
/// way; then it is as before.
class LayerRandomness {
 public:
  LayerRandomness(uint64_t seed, int64_t epoch, int64_t batch) : generator_(at::detail::getDefaultCPUGenerator()) {
    const std::lock_guard<std::mutex> lock(generator_.mutex());
    before_ = generator_.get_state();
    const auto of_epoch = mix_seed(seed, Stream::kLayers, static_cast<uint64_t>(epoch));
    generator_.set_current_seed(mix_seed(of_epoch, Stream::kLayers, static_cast<uint64_t>(batch)));
  }
  ~LayerRandomness() {
    const std::lock_guard<std::mutex> lock(generator_.mutex());
    generator_.set_state(before_);
  }
  LayerRandomness(const LayerRandomness&) = delete;
  LayerRandomness& operator=(const LayerRandomness&) = delete;

 private:
  torch::Generator generator_;
  torch::Tensor before_;
};

}  // namespace arks
