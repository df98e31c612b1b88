#include <ATen/CPUGeneratorImpl.h>
#include <arks/support/random.h>

namespace arks {

namespace {

uint64_t splitmix64(uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

uint64_t mix_seed(uint64_t seed, Stream stream, uint64_t index) {
  return splitmix64(splitmix64(splitmix64(seed) + static_cast<uint64_t>(stream)) + index);
}

torch::Generator make_generator(uint64_t seed, Stream stream, uint64_t index) {
  return at::detail::createCPUGenerator(mix_seed(seed, stream, index));
}

}  // namespace arks
