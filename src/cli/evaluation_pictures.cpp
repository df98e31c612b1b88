#include "cli/evaluation_pictures.h"

#include "data/labels.h"
#include "problem/state_guard.h"
#include "report/figure.h"
#include "report/image_grid.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <arks/support/random.h>

#include <algorithm>

namespace arks::cli {

namespace {

constexpr int64_t kColumns = 8;
constexpr int64_t kSearched = 256;  // images looked at to find those that are right

/// Positions of images worth showing: one that is wrong before the attack says nothing about the attack.
torch::Tensor presentable(const Dataset& dataset, SupervisedProblem& model) {
  const auto first = torch::arange(std::min(kSearched, dataset.size()), torch::kLong);
  const auto batch = dataset.get(first);
  const auto right = first.index({model.predict(batch.inputs).argmax(1) == batch.targets});
  const auto chosen = right.numel() > 0 ? right : first;
  return chosen.slice(0, 0, kColumns);
}

/// How the points of one panel were made, and on which test set.
struct PanelKey {
  std::string source, data;
  bool holds(const EvaluationPoint& point) const { return point.source == source && point.data == data; }
};

/// In the order of the points.
std::vector<PanelKey> panels_of(const std::vector<EvaluationPoint>& points) {
  std::vector<PanelKey> keys;
  for (const auto& point : points) {
    const bool known = std::any_of(keys.begin(), keys.end(), [&](const auto& key) { return key.holds(point); });
    if (!known) keys.push_back({point.source, point.data});
  }
  return keys;
}

std::string panel_title(const EvaluationPoint& point, const PanelKey& key, bool several_sets, bool clean) {
  if (clean) return several_sets ? key.data : "";
  const auto before = several_sets ? key.data + ", " : "";
  if (point.norm.empty()) return before + point.attack;
  return before + (key.source.empty() ? point.attack + " white-box" : point.attack + " from " + key.source);
}

std::string radius(const EvaluationPoint& point) {
  return "radius of the attack (" + symbol(parse_norm(point.norm)) + ")";
}

/// All points of a figure have one, or none.
void add_interval(Curve& curve, const EvaluationPoint& point, bool loss) {
  if (!loss && point.error_interval) {
    curve.low.push_back(100 * point.error_interval->low);
    curve.high.push_back(100 * point.error_interval->high);
  } else if (loss && point.loss_standard_error) {
    curve.low.push_back(point.loss - *point.loss_standard_error);
    curve.high.push_back(point.loss + *point.loss_standard_error);
  }
}

double highest(const std::vector<Panel>& panels) {
  double most = 0;
  for (const auto& panel : panels) {
    for (const auto& curve : panel.curves) {
      for (const auto* values : {&curve.y, &curve.high}) {
        for (const double value : *values) most = std::max(most, value);
      }
    }
  }
  return most;
}

}  // namespace

void draw_curves(const std::vector<std::string>& files, const std::vector<EvaluationPoint>& points,
                 const std::vector<std::string>& names, const CurveLabels& labels) {
  const bool loss = labels.loss;
  std::vector<Panel> panels;
  const auto keys = panels_of(points);
  const bool several_sets =
      std::any_of(keys.begin(), keys.end(), [&](const auto& key) { return key.data != keys.front().data; });
  // a single strength is a place with a name: an axis around it would promise more
  const double eps = points.front().eps;
  const bool single = std::all_of(points.begin(), points.end(), [&](const auto& point) { return point.eps == eps; });
  const bool clean = single && eps == 0 && points.front().source == points.back().source;
  for (const auto& key : keys) {
    Panel panel{panel_title(points.front(), key, several_sets, clean), {}};
    if (single) panel.x_names = {clean ? "clean" : "eps " + shortest(eps)};
    for (const auto& name : names) {
      Curve curve;
      curve.label = name;
      for (const auto& point : points) {
        if (point.model != name || !key.holds(point)) continue;
        curve.x.push_back(single ? 1 : point.eps);
        curve.y.push_back(loss ? point.loss : 100 * point.error);
        add_interval(curve, point, loss);
      }
      panel.curves.push_back(std::move(curve));
    }
    panels.push_back(std::move(panel));
  }
  auto options = FigureOptions()
                     .title(labels.title)
                     .x_label(clean                     ? ""
                              : labels.strength.empty() ? radius(points.front())
                                                        : labels.strength)
                     .y_label(loss ? "mean loss" : "error (%)");
  const std::string bars = loss ? "bars: standard error over the test set" : "bars: 95 % intervals";
  options.error_bars(true).note(bars + (names.size() > 1 ? ", models side by side" : ""));
  if (!loss) {
    options.y_low(0);
    if (highest(panels) > 95) options.y_high(100);
  }
  for (const auto& file : files) write_figure_panels(file, panels, options);
}

void check_grid(const DatasetInfo& data) {
  const auto& shape = data.input_shape;
  ARKS_CHECK(shape.size() == 3 && (shape[0] == 1 || shape[0] == 3) && data.num_classes > 0,
             "--grid draws images with classes, and ", data.name, " has ",
             data.num_classes > 0 ? "samples" : "no classes and samples", " of shape ", torch::IntArrayRef(shape));
}

void draw_grid(const std::vector<std::string>& files, const Dataset& dataset, const GridScene& scene) {
  const ModeGuard eval(*scene.model, /*training=*/false);
  Batch batch;
  torch::Tensor clean;
  {
    torch::NoGradGuard no_grad;
    batch = dataset.get(presentable(dataset, *scene.model));
    clean = scene.model->predict(batch.inputs).argmax(1);
  }
  auto generator = make_generator(scene.seed, Stream::kAttack);
  const auto attacked =
      scene.attack->perturb(*scene.crafted_on, batch.inputs, batch.targets, scene.bounds, generator).inputs;
  torch::NoGradGuard no_grad;
  const auto perturbed = scene.model->predict(attacked).argmax(1);
  std::vector<GridSample> samples;
  const auto names = class_names_of(dataset.info());
  const auto name = [&](const torch::Tensor& labels, int64_t i) {
    return names.at(static_cast<size_t>(labels[i].item<int64_t>()));
  };
  for (int64_t i = 0; i < batch.inputs.size(0); ++i) {
    samples.push_back({batch.inputs[i], attacked[i], name(batch.targets, i), name(clean, i), name(perturbed, i)});
  }
  auto options = ImageGridOptions().title(scene.title);
  if (scene.bounds) options.low(scene.bounds->low()).high(scene.bounds->high());
  for (const auto& file : files) write_image_grid(file, samples, options);
}

}  // namespace arks::cli
