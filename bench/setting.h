#pragma once
#include "data/published.h"

#include <arks/data/dataset.h>
#include <arks/inner/ascent.h>
#include <arks/model/model.h>
#include <arks/train/optimizer.h>

#include <string>
#include <vector>

namespace arks::bench {

constexpr int64_t kThreads = 2;

/// One of the paper's three image experiments: its hyper-parameters and the shape of its samples.
struct Setting {
  std::string data;                  ///< "fashion-mnist", "cifar10" or "celeba"
  PublishedSettings published;       ///< network, batch size, steps, rates, optimiser
  std::vector<int64_t> image_shape;  ///< [c,h,w]
  int64_t classes = 0;
};

const std::vector<std::string>& image_sets();
Setting setting_for(const std::string& data);
DatasetInfo info_of(const Setting& setting);

/// The library's network from seed 0: the same weights whenever it is asked for.
Model fresh_model(const Setting& setting, torch::ScalarType type = torch::kFloat);

/// The inner ascent and the outer optimiser of ARKS as the library is told them.
AscentOptions ascent_of(const Setting& setting, InnerMode mode, InnerReturn returned = InnerReturn::kBest);
OptimizerOptions optimizer_of(const Setting& setting);

/// Images with uniform pixels in [0,1] and random labels: the work does not depend on what is in the pictures. The
/// pixels are drawn as float32 for either type, so that the pictures are the same.
Batch random_batch(const Setting& setting, int64_t samples, torch::ScalarType type = torch::kFloat);

/// The same as a set in memory; pixels are bytes, as the loaders keep them, unless a floating type is asked for.
DatasetPtr random_set(const Setting& setting, int64_t samples, torch::ScalarType type = torch::kByte);

}  // namespace arks::bench
