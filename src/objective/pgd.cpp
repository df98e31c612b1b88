#include "maximized_majorant.h"

#include <arks/objective/pgd.h>

namespace arks {

PgdTraining::PgdTraining(PgdTrainingOptions options, AscentOptions ascent)
    : options_(options), ascent_(ascent.rule(steepest_rule(options.norm())).step_scale(options.eps_scale())) {
  make_ball(options_.norm(), options_.eps(), options_.bounds(), options_.eps_scale());  // checks all of them
  check(ascent_);
}

std::unique_ptr<Majorant> PgdTraining::bind(Problem& problem) const {
  const auto loss = std::make_shared<LossAlone>();
  const auto ball = make_ball(options_.norm(), options_.eps(), options_.bounds(), options_.eps_scale());
  MaximizedMajorant::Parts parts;
  parts.maximizer = make_maximizer(problem, loss, nullptr, ascent_, ball);
  parts.surrogate = loss;
  if (options_.random_start()) {
    parts.start = [ball](const torch::Tensor& x, torch::Generator& generator) {
      return ball->random_point(x, generator);
    };
  }
  return std::make_unique<MaximizedMajorant>(problem, std::move(parts));
}

}  // namespace arks
