#pragma once
#include <arks/certify/certificate.h>
#include <arks/data/dataset.h>

#include <optional>

namespace arks {

/// What a model costs that predicts the same for every sample: the class frequencies, or the mean of each target. No
/// shift of the inputs changes that, so a bound that is not below it says nothing of a model.
struct ConstantPrediction {
  std::optional<double> quantity;  ///< mean of the quantity over the samples; none where it is not finite, and where
                                   ///< all samples have one class
  std::optional<double> error;     ///< likewise, of naming the most frequent class
};

/// `all` is the part that the samples are of: it knows the frequencies better. Losses are clipped as the certificate
/// says.
ConstantPrediction constant_prediction(const Dataset& all, const Dataset& samples, const Certificate& certificate);

}  // namespace arks
