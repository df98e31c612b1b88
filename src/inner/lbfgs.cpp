#include "inner/lbfgs.h"

#include "inner/sample_ascent.h"
#include "problem/state_guard.h"
#include "support/samples.h"

#include <ATen/Parallel.h>

#include <limits>

namespace arks {

namespace {

/// The samples that still climb: their places in the whole batch, and their rows of x and y.
class ActiveRows {
 public:
  ActiveRows(torch::Tensor x, torch::Tensor y) : x_(std::move(x)), y_(std::move(y)) {
    for (int64_t i = 0; i < x_.size(0); ++i) places_.push_back(i);
  }

  const torch::Tensor& x() const { return x_; }
  const torch::Tensor& y() const { return y_; }
  int64_t size() const { return static_cast<int64_t>(places_.size()); }
  int64_t place(int64_t row) const { return places_[static_cast<size_t>(row)]; }

  /// Leaves out the samples that are done.
  void drop(const std::vector<SampleAscent>& samples) {
    std::vector<int64_t> rows, places;
    for (int64_t row = 0; row < size(); ++row) {
      if (samples[static_cast<size_t>(place(row))].done()) continue;
      rows.push_back(row);
      places.push_back(place(row));
    }
    if (rows.size() == places_.size()) return;
    places_ = std::move(places);
    const auto left = torch::tensor(rows, torch::kLong);
    x_ = x_.index_select(0, left.to(x_.device()));
    if (y_.defined()) y_ = y_.index_select(0, left.to(y_.device()));
  }

 private:
  torch::Tensor x_, y_;
  std::vector<int64_t> places_;
};

/// A copy on the processor in float64, or the tensor itself where it is one.
torch::Tensor plain(const torch::Tensor& tensor) {
  return tensor.detach().to(torch::kCPU, torch::kDouble).contiguous();
}

/// What values of this type may differ by without meaning anything, relative to themselves: a few roundings.
double rounding_of(torch::ScalarType type) {
  constexpr double kFew = 10;
  if (type == torch::kDouble) return kFew * std::numeric_limits<double>::epsilon();
  if (type == torch::kFloat) return kFew * std::numeric_limits<float>::epsilon();
  return kFew * 0x1p-8;  // bfloat16; half is finer
}

class LbfgsMaximizer : public Maximizer {
 public:
  LbfgsMaximizer(Landscape landscape, const AscentOptions& ascent, ConstraintPtr constraint)
      : landscape_(std::move(landscape)), options_(ascent), constraint_(std::move(constraint)) {}

  InnerResult maximize(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& start) override;

 private:
  using Samples = std::vector<SampleAscent>;

  void tell(const torch::Tensor& u, const Landscape::Point& point, const ActiveRows& active, Samples& samples);
  torch::Tensor trials(const ActiveRows& active, const Samples& samples);
  int64_t grain(int64_t dimension) const {
    return std::max<int64_t>(1, at::internal::GRAIN_SIZE / (4 * options_.history() * dimension));
  }

  Landscape landscape_;
  AscentOptions options_;
  ConstraintPtr constraint_;
};

/// Takes what the pass found to every sample, and the gradients to those that want them.
void LbfgsMaximizer::tell(const torch::Tensor& u, const Landscape::Point& point, const ActiveRows& active,
                          Samples& samples) {
  const auto where = plain(rows(u));
  const auto figures = plain(torch::stack({point.value, point.evaluation.loss.detach(), point.cost.detach()}));
  const int64_t count = active.size(), dimension = where.size(1);
  const double* const places = where.data_ptr<double>();
  const double* const found = figures.data_ptr<double>();
  std::vector<char> wants(static_cast<size_t>(count));
  const auto sample = [&](int64_t row) -> SampleAscent& { return samples[static_cast<size_t>(active.place(row))]; };
  at::parallel_for(0, count, grain(dimension), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      wants[static_cast<size_t>(row)] =
          sample(row).look(places + row * dimension, {found[row], found[count + row], found[2 * count + row]});
    }
  });
  if (std::find(wants.begin(), wants.end(), 1) == wants.end()) return;

  const auto partials = landscape_.partials(point);
  const auto gradient = landscape_.gradient(u, point, partials);
  torch::NoGradGuard no_grad;
  const auto followable = constraint_->followable(gradient, u.detach(), active.x());
  const auto slopes = plain(rows(gradient));
  const auto followed = followable.is_same(gradient) ? slopes : plain(rows(followable));
  const auto resolutions = plain(landscape_.term_sizes(point, partials) * rounding_of(point.value.scalar_type()));
  const double* const slope = slopes.data_ptr<double>();
  const double* const follow = followed.data_ptr<double>();
  at::parallel_for(0, count, grain(dimension), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      if (wants[static_cast<size_t>(row)] == 0) continue;
      sample(row).climb(slope + row * dimension, follow + row * dimension, resolutions.data_ptr<double>()[row]);
    }
  });
}

/// The points to be evaluated next, within the set.
torch::Tensor LbfgsMaximizer::trials(const ActiveRows& active, const Samples& samples) {
  torch::NoGradGuard no_grad;
  const auto& x = active.x();
  const auto next = torch::empty({active.size(), x.numel() / x.size(0)}, torch::kDouble);
  for (int64_t row = 0; row < active.size(); ++row) {
    samples[static_cast<size_t>(active.place(row))].trial(next.data_ptr<double>() + row * next.size(1));
  }
  return constraint_->project(next.to(x.options()).view(x.sizes()), x).detach();
}

InnerResult collected(const std::vector<SampleAscent>& samples, const torch::Tensor& x, const Landscape::Point& first) {
  const int64_t count = x.size(0), dimension = x.numel() / count;
  const auto u = torch::empty({count, dimension}, torch::kDouble);
  const auto figures = torch::empty({3, count}, torch::kDouble);
  double* const to = figures.data_ptr<double>();
  InnerResult result;
  for (int64_t i = 0; i < count; ++i) {
    const auto& sample = samples[static_cast<size_t>(i)];
    std::copy(sample.kept().begin(), sample.kept().end(), u.data_ptr<double>() + i * dimension);
    to[i] = sample.kept_figures().value;
    to[count + i] = sample.kept_figures().loss;
    to[2 * count + i] = sample.kept_figures().cost;
    result.terminations.push_back(sample.termination());
  }
  result.u = u.to(x.options()).view(x.sizes());
  result.values = figures[0].to(first.value.options());
  result.losses = figures[1].to(first.evaluation.loss.options());
  result.costs = figures[2].to(first.cost.options());
  result.start_losses = first.evaluation.loss.detach();
  result.start_wrong = first.evaluation.wrong;
  return result;
}

InnerResult LbfgsMaximizer::maximize(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& start) {
  auto u = checked_start(x, start);
  const ModeGuard mode(landscape_.problem(), /*training=*/false);
  const FrozenParametersGuard frozen(landscape_.problem());
  const torch::AutoGradMode grad_on(true);

  const auto origin = x.detach();
  ActiveRows active(origin, y);
  Samples samples;
  Landscape::Point first;
  while (active.size() > 0) {
    u.set_requires_grad(options_.steps() > 0);
    const auto point = landscape_.evaluate(u, active.x(), active.y());
    if (samples.empty()) {
      first = point;
      samples.assign(static_cast<size_t>(x.size(0)), SampleAscent(options_, x.numel() / x.size(0)));
    }
    tell(u, point, active, samples);
    active.drop(samples);
    if (active.size() > 0) u = trials(active, samples);
  }
  return collected(samples, origin, first);
}

}  // namespace

std::unique_ptr<Maximizer> make_lbfgs(Landscape landscape, const AscentOptions& ascent, ConstraintPtr constraint) {
  return std::make_unique<LbfgsMaximizer>(std::move(landscape), ascent, std::move(constraint));
}

}  // namespace arks
