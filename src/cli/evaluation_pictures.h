#pragma once
// The pictures of `arks evaluate`: error against eps, and images before and after an attack.
#include <arks/attack/attack.h>
#include <arks/attack/evaluation_point.h>
#include <arks/data/dataset.h>
#include <arks/problem/supervised.h>

#include <string>
#include <vector>

namespace arks::cli {

/// How the curves are labelled.
struct CurveLabels {
  std::string title;
  std::string strength;  // what eps is; empty: the radius of a ball
  bool loss = false;     // the curves are losses, not errors
};

/// The error, or the mean loss, against eps: a panel for white-box points and one for each source, on each test set,
/// and in it a curve for each model; `names` gives their order. Written to each of the files.
void draw_curves(const std::vector<std::string>& files, const std::vector<EvaluationPoint>& points,
                 const std::vector<std::string>& names, const CurveLabels& labels);

/// What draw_grid() needs to know of an attack on one model.
struct GridScene {
  std::string title;
  SupervisedProblem* model = nullptr;  // who looks at the images
  Problem* crafted_on = nullptr;       // whom the attack is computed against
  const Attack* attack = nullptr;
  std::optional<Bounds> bounds;
  uint64_t seed = 0;
};

/// Throws Error when a grid cannot be drawn of such data: it needs images with classes.
void check_grid(const DatasetInfo& data);

/// The first eight images, as far as there are, that the model gets right before the attack.
void draw_grid(const std::vector<std::string>& files, const Dataset& dataset, const GridScene& scene);

}  // namespace arks::cli
