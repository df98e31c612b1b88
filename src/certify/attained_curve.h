#pragma once
#include <arks/certify/certificate.h>

namespace arks {

/// The largest E[q] within rho that the points prove. Of two distributions every mixture lies on the chord between
/// them, so the upper concave hull is attained as well; beyond the last point it stays level. Points by rho, the first
/// at 0.
double attained_within(const std::vector<AttainedPoint>& points, double rho);

}  // namespace arks
