#include <arks/problem/squared_error.h>

#include "support/samples.h"

#include <arks/support/error.h>

#include <typeinfo>

namespace arks {

torch::Tensor SquaredError::operator()(const torch::Tensor& prediction, const torch::Tensor& y) const {
  ARKS_CHECK((prediction.dim() == 1 || prediction.dim() == 2) && prediction.is_floating_point(),
             "squared error: predictions must be floating point of shape [n] or [n, outputs], got ", prediction.sizes(),
             " of type ", prediction.scalar_type(), prediction.dim() == 0 ? "; a squeeze of everything inside?" : "");
  ARKS_CHECK(y.is_floating_point(), "squared error: targets must be floating point, got type ", y.scalar_type(),
             "; use cross entropy for class numbers");
  const auto p = rows(prediction);
  // compared before anything is subtracted: [n,1] − [n] would become [n,n] without a word
  ARKS_CHECK((y.dim() == 1 || y.dim() == 2) && rows(y).sizes() == p.sizes(),
             "squared error: targets must have the shape of the predictions ", prediction.sizes(), ", got ", y.sizes());
  return (p - rows(y).to(p.scalar_type())).pow(2).sum(1);
}

CriterionBounds SquaredError::bounds(bool log) const {
  if (typeid(*this) != typeid(SquaredError)) return Criterion::bounds(log);  // a derived class may compute another loss
  CriterionBounds bounds;
  if (log) {
    bounds.why_no_lipschitz = bounds.why_no_curvature =
        "the logarithm of a squared error has no bounds near zero error";
  } else {
    bounds.why_no_lipschitz = "the gradient of a squared error grows without bound";
    bounds.curvature = 2;
  }
  return bounds;
}

}  // namespace arks
